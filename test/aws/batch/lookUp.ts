/** What a name or an ARN in a request means among the deployed resources. */
import type { DeployedBatch, JobDefinition } from './deployedBatch.ts';
import { BatchError } from './wire.ts';

export const ARN = 'arn:aws:batch:us-east-1:000000000000';

export function queueArn({ queues }: DeployedBatch, given: string): string {
  const name = queues.find((queue) => given === queue || given.endsWith(`job-queue/${queue}`));
  if (name === undefined) throw new BatchError('ClientException', `JobQueue ${given} not found`);
  return `${ARN}:job-queue/${name}`;
}

/** The emulator's CloudFormation knows no Batch and calls every definition `unknown`: that is the one of the queue's name. */
export function definitionNamed({ definitions }: DeployedBatch, given: string, queue: string): JobDefinition {
  const named = /^(arn:aws:unknown:.*|unknown)$/.test(given) ? (queue.split('/').at(-1) ?? '') : given;
  const plain = named.replace(/^arn:.*job-definition\//, '').replace(/:\d+$/, '');
  const definition = definitions.find(({ name }) => name === plain);
  if (!definition) throw new BatchError('ClientException', `JobDefinition ${given} not found`);
  return definition;
}

/** `unknown`, for the same reason: the first. */
export function describeEnvironments({ computeEnvironments }: DeployedBatch, names: readonly string[]) {
  const asked = computeEnvironments.filter(({ name }) => names.some((wanted) => wanted.endsWith(name)));
  return (asked.length > 0 ? asked : computeEnvironments.slice(0, 1)).map(({ name, enabled, maxvCpus }) => ({
    computeEnvironmentName: name,
    computeEnvironmentArn: `${ARN}:compute-environment/${name}`,
    state: enabled ? 'ENABLED' : 'DISABLED',
    status: 'VALID',
    type: 'MANAGED',
    computeResources: { maxvCpus, subnets: [] },
  }));
}
