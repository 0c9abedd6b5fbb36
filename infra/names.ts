/** Names that several constructs share. */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export const SERVICE = 'synthetic-tables';

/** Namespace of the service's own metrics is `METRICS.namespace`; this is the value of its dimension. */
export const stackName = (stage: string): string => `${SERVICE}-${stage}`;

/** The ARN of a Batch resource of this stack by its name: known before it exists, so that policies and rules can say it. */
export function batchArn(scope: Construct, kind: 'job-queue' | 'job-definition' | 'job', name: string): string {
  return Stack.of(scope).formatArn({ service: 'batch', resource: kind, resourceName: name });
}
