/** Who of AWS's services may write its logs into the bucket of logs, and where in it. */
import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IConstruct } from 'constructs';

/** The load balancer's logs go under the account's number; its service says no source that a condition could compare. */
export function allowBalancerLogs(logs: IBucket, balancer: IConstruct, prefix: string): void {
  allowLogs(logs, balancer, prefix, new ServicePrincipal('logdelivery.elasticloadbalancing.amazonaws.com'));
}

/** Flow logs ask for the bucket's access list before they write. */
export function allowFlowLogs(logs: IBucket, flowLog: IConstruct, prefix: string): void {
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(flowLog).account } };
  const principal = new ServicePrincipal('delivery.logs.amazonaws.com', { conditions });
  const [actions, resources] = [['s3:GetBucketAcl'], [logs.bucketArn]];
  logs.addToResourcePolicy(new PolicyStatement({ actions, principals: [principal], resources }));
  allowLogs(logs, flowLog, prefix, principal);
}

/** `writer` is made after the policy: some services try whether they can write when they are set up. */
function allowLogs(logs: IBucket, writer: IConstruct, prefix: string, principal: ServicePrincipal): void {
  const resources = [logs.arnForObjects(`${prefix}/AWSLogs/${Stack.of(writer).account}/*`)];
  logs.addToResourcePolicy(new PolicyStatement({ actions: ['s3:PutObject'], principals: [principal], resources }));
  if (logs.policy) writer.node.addDependency(logs.policy);
}
