/** The stack by its settings, each synthesised once a worker, with empty functions: what they do is tested elsewhere. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { z } from 'zod';
import { ServiceStack } from '../../../infra/serviceStack.ts';
import { readSettings } from '../../../infra/settings.ts';
import { root } from '../../support/imports.ts';
import { makeFolder } from '../../support/temporaryFolder.ts';

const contextSchema = z.object({ context: z.record(z.string(), z.unknown()) });

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), z.unknown()).default({}),
      DeletionPolicy: z.string().optional(),
      UpdateReplacePolicy: z.string().optional(),
    }),
  ),
  Outputs: z.record(z.string(), z.unknown()),
});
export type Template = z.infer<typeof templateSchema>;
export type Resource = Template['Resources'][string];

/** No image is built, no mail is sent. */
const IMAGES = { gpuImage: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/jobs:gpu', cpuImage: 'example/jobs:cpu' };

/** What differs from the standard in a variant that has everything the other way round. */
export const OTHERWISE = {
  stage: 'prod',
  uploadService: 'off',
  spot: 'on',
  maxRunningJobs: '30',
  maxGpuInstances: '5',
  corsOrigins: 'https://example.org',
  alarmEmail: 'operator@example.org',
  budgetUsd: '0',
  availabilityZones: '2',
  domainName: 'tables.example.org',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
};

export interface Synthesised {
  app: App;
  stack: ServiceStack;
  template: Template;
}

/** For all files of a worker. */
const work = makeFolder();

process.once('exit', work.remove);

export function build(context: Readonly<Record<string, string>> = {}): { app: App; stack: ServiceStack } {
  const folder = mkdtempSync(join(work.path, 'variant-'));
  const stub = join(folder, 'function');
  mkdirSync(stub);
  writeFileSync(join(stub, 'index.mjs'), 'export const handler = () => undefined;\n');
  const flags = contextSchema.parse(JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'))).context;
  const app = new App({ outdir: join(folder, 'out'), context: flags });
  const given = new Map<string, string>(Object.entries({ ...IMAGES, ...context }));
  const settings = readSettings((name) => given.get(name));
  return { app, stack: new ServiceStack(app, 'stack', { settings, folderOf: () => stub }) };
}

const made = new Map<string, Synthesised>();

export function synthesise(context: Readonly<Record<string, string>> = {}): Synthesised {
  const name = JSON.stringify(context);
  const known = made.get(name);
  if (known) return known;
  const { app, stack } = build(context);
  const template = templateSchema.parse(app.synth().getStackByName('stack').template);
  const synthesised = { app, stack, template };
  made.set(name, synthesised);
  return synthesised;
}

export const ofType = ({ Resources }: Template, type: string): [id: string, resource: Resource][] =>
  Object.entries(Resources).filter(([, resource]) => resource.Type === type);

/** The one resource of a type. */
export function theOnly(template: Template, type: string): Resource {
  const found = ofType(template, type);
  const [only] = found;
  if (!only || found.length > 1) throw new Error(`There are ${found.length} of ${type}, not one.`);
  return only[1];
}

/** Any property by its path, as text: references in angle brackets, joins joined. */
export function flat(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('Ref' in value) return `<${flat(value.Ref)}>`;
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt'])) return `<${value['Fn::GetAtt'].join('.')}>`;
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    const [separator, parts] = value['Fn::Join'];
    return Array.isArray(parts) ? parts.map(flat).join(String(separator)) : '';
  }
  return JSON.stringify(value);
}

/** A property by its path: `at(resource, 'ComputeResources', 'Type')`. Undefined where there is none. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, step);
  }
  return found;
}
