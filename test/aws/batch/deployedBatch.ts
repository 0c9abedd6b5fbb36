/** The Batch resources of a synthesised template: queues, job definitions, compute environments, their values resolved. */
import { z } from 'zod';
import { type RetryStrategy, retryStrategySchema } from './wire.ts';

export interface JobDefinition {
  name: string;
  environment: { name: string; value: string }[];
  retryStrategy: RetryStrategy;
  timeoutSeconds: number | undefined;
  platform: 'EC2' | 'FARGATE';
}

export interface DeployedBatch {
  queues: string[];
  definitions: JobDefinition[];
  /** Whether each can start jobs. */
  computeEnvironments: { name: string; enabled: boolean; maxvCpus: number }[];
}

const resourceSchema = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) });
export const templateSchema = z.object({ Resources: z.record(z.string(), resourceSchema) });
export type Template = z.output<typeof templateSchema>;

/** Values of `Ref` by logical id, pseudo parameters included. */
export type References = ReadonlyMap<string, string>;

/** A template's value with `Ref`, `Fn::Join` and `Fn::Sub` carried out. `Fn::GetAtt` is what the emulator said: not known. */
export function resolve(value: unknown, references: References): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, references));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && name === 'Ref') return references.get(String(argument)) ?? `unknown ${String(argument)}`;
  if (entries.length === 1 && name === 'Fn::GetAtt' && Array.isArray(argument)) return `unknown ${argument.join('.')}`;
  if (entries.length === 1 && name === 'Fn::Join') {
    const [separator, parts] = z.tuple([z.string(), z.array(z.unknown())]).parse(argument);
    return parts.map((part) => String(resolve(part, references))).join(separator);
  }
  if (entries.length === 1 && name === 'Fn::Sub' && typeof argument === 'string')
    return argument.replaceAll(/\$\{([^}]+)\}/g, (_, id) => references.get(id) ?? `unknown ${id}`);
  return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item, references)]));
}

const definitionSchema = z.object({
  JobDefinitionName: z.string(),
  PlatformCapabilities: z.array(z.enum(['EC2', 'FARGATE'])).default(['EC2']),
  ContainerProperties: z.object({
    Environment: z.array(z.object({ Name: z.string(), Value: z.string() })).default([]),
  }),
  RetryStrategy: z
    .object({ Attempts: z.number().optional(), EvaluateOnExit: z.array(z.record(z.string(), z.string())).default([]) })
    .optional(),
  Timeout: z.object({ AttemptDurationSeconds: z.number() }).optional(),
});

const queueSchema = z.object({ JobQueueName: z.string() });
const environmentSchema = z.object({
  ComputeEnvironmentName: z.string().optional(),
  State: z.string().default('ENABLED'),
  ComputeResources: z.object({ MaxvCpus: z.number() }),
});

const camel = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

function definitionOf(properties: unknown): JobDefinition {
  const found = definitionSchema.parse(properties);
  const rules = found.RetryStrategy?.EvaluateOnExit ?? [];
  return {
    name: found.JobDefinitionName,
    environment: found.ContainerProperties.Environment.map(({ Name, Value }) => ({ name: Name, value: Value })),
    retryStrategy: retryStrategySchema.parse({
      attempts: found.RetryStrategy?.Attempts,
      evaluateOnExit: rules.map((rule) =>
        Object.fromEntries(Object.entries(rule).map(([name, value]) => [camel(name), value])),
      ),
    }),
    timeoutSeconds: found.Timeout?.AttemptDurationSeconds,
    platform: found.PlatformCapabilities[0] ?? 'EC2',
  };
}

export function deployedBatch(template: Template, references: References): DeployedBatch {
  const ofType = (type: string) =>
    Object.entries(template.Resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id, { Properties }]) => ({ id, properties: resolve(Properties, references) }));
  return {
    queues: ofType('AWS::Batch::JobQueue').map(({ properties }) => queueSchema.parse(properties).JobQueueName),
    definitions: ofType('AWS::Batch::JobDefinition').map(({ properties }) => definitionOf(properties)),
    computeEnvironments: ofType('AWS::Batch::ComputeEnvironment').map(({ id, properties }) => {
      const found = environmentSchema.parse(properties);
      return {
        name: found.ComputeEnvironmentName ?? id,
        enabled: found.State.toUpperCase() === 'ENABLED',
        maxvCpus: found.ComputeResources.MaxvCpus,
      };
    }),
  };
}
