/** Synthesises the project's own stack and deploys it, as it is, to the emulator. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { z } from 'zod';
import { type References, type Template, templateSchema } from '../batch/deployedBatch.ts';
import { bin, command } from './command.ts';
import { CREDENTIALS, clientSettings } from './credentials.ts';

export const STAGE = 'emulated';

/** Settings of the deployment. The images are named, since none is built: jobs and uploads run as processes. */
/** The machine that stands for the GPU queue's has no GPU. */
const CONTEXT = { stage: STAGE, gpuImage: 'stand-in/gpu-job:1', cpuImage: 'stand-in/cpu-job:1', gpuBackend: 'auto' };

export interface Deployed {
  template: Template;
  /** What `Ref` says, by logical id. */
  references: References;
  outputs: Record<string, string>;
}

const settings = Object.entries(CONTEXT).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** `cdk synth`, which reaches nothing. Gives the folder of the cloud assembly. */
export async function synthesise(folder: string): Promise<string> {
  const { AWS_ENDPOINT_URL: _, ...environment } = process.env;
  await command(bin('cdk'), ['synth', '--quiet', '--output', folder, ...settings], environment);
  return folder;
}

export function readTemplate(folder: string): { stack: string; template: Template } {
  const [file] = globSync('*.template.json', { cwd: folder });
  if (!file) throw new Error(`cdk synth left no template in ${folder}.`);
  const template = templateSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  return { stack: file.replace('.template.json', ''), template };
}

const outputsSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** `cdk bootstrap` and `cdk deploy` of an assembly. */
export async function deploy(folder: string, endpoint: string): Promise<Deployed> {
  const { stack, template } = readTemplate(folder);
  const environment = {
    ...process.env,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    ...CREDENTIALS,
  };
  await command(bin('cdklocal'), ['bootstrap', '--app', folder], environment);
  const outputs = join(folder, 'outputs.json');
  const options = ['--app', folder, '--require-approval', 'never', '--outputs-file', outputs];
  await command(bin('cdklocal'), ['deploy', ...options], environment);
  return {
    template,
    references: await physicalIds(stack, endpoint),
    outputs: outputsSchema.parse(JSON.parse(readFileSync(outputs, 'utf8')))[stack] ?? {},
  };
}

async function physicalIds(stack: string, endpoint: string): Promise<References> {
  const client = new CloudFormationClient({ endpoint, ...clientSettings });
  const references = new Map([
    ['AWS::Region', 'us-east-1'],
    ['AWS::AccountId', '000000000000'],
    ['AWS::Partition', 'aws'],
    ['AWS::URLSuffix', 'amazonaws.com'],
    ['AWS::StackName', stack],
  ]);
  for await (const page of paginateListStackResources({ client }, { StackName: stack }))
    for (const { LogicalResourceId: id, PhysicalResourceId: physical } of page.StackResourceSummaries ?? [])
      if (id && physical) references.set(id, physical);
  client.destroy();
  return references;
}
