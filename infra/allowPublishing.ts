/** Lets a service of AWS tell a topic what happens in this account. A topic with a policy of its own allows nobody by itself. */
import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Topic } from 'aws-cdk-lib/aws-sns';

export function allowPublishing(topic: Topic, service: string): void {
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(topic).account } };
  topic.grantPublish(new ServicePrincipal(service, { conditions }));
}
