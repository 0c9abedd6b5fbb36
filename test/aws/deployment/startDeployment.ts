/**
 * Everything that a deployment is, on this machine: the emulator with the deployed stack, the stand-ins for what the
 * emulator lacks (Batch, CloudFront, Fargate), and a fault between the functions and their records where a test asks.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployedBatch } from '../batch/deployedBatch.ts';
import { EventSender } from '../batch/events.ts';
import { serveBatch } from '../batch/server.ts';
import { BatchStandIn } from '../batch/standIn.ts';
import { freePort } from '../localstack/freePort.ts';
import { startEmulator } from '../localstack/startEmulator.ts';
import { bin, command } from './command.ts';
import { CREDENTIALS } from './credentials.ts';
import { type Deployed, deploy, STAGE, synthesise } from './deploy.ts';
import { functionNames, restApi } from './found.ts';
import { serveFront } from './front.ts';
import { serveRecordsProxy } from './recordsProxy.ts';
import { startUploadService } from './uploadService.ts';

export interface DeploymentAddresses {
  /** As clients have it. */
  baseUrl: string;
  apiKey: string;
  /** The emulator. */
  endpoint: string;
  tableName: string;
  bucketName: string;
  /** Names of deployed functions, by what the stack calls them. */
  functions: Record<string, string>;
  batchUrl: string;
  recordsProxyUrl: string;
}

/** Runs what it is given in the opposite order, however far the start came. */
class Cleanup {
  readonly #steps: (() => unknown)[] = [];
  add(step: () => unknown): void {
    this.#steps.unshift(step);
  }
  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step();
  }
}

export async function startDeployment(): Promise<{ addresses: DeploymentAddresses; stop(): Promise<void> }> {
  const cleanup = new Cleanup();
  try {
    return { addresses: await start(cleanup), stop: () => cleanup.run() };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function start(cleanup: Cleanup): Promise<DeploymentAddresses> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const role = { ...CREDENTIALS, AWS_ENDPOINT_URL: endpoint };
  const standIn = new BatchStandIn({
    events: new EventSender(endpoint),
    roleEnvironment: { ...role, HOME: tmpdir() },
    machines: 3,
    startMs: 200,
    stopGraceMs: 5_000,
  });
  const batch = await serveBatch(standIn);
  cleanup.add(() => batch.close());
  cleanup.add(() => standIn.reset());
  const records = await serveRecordsProxy(endpoint);
  cleanup.add(() => records.close());
  const deployed = await deployToEmulator(cleanup, port, {
    AWS_ENDPOINT_URL_BATCH: batch.url,
    AWS_ENDPOINT_URL_DYNAMODB: records.url,
    // A test does not wait a minute and a half for what never reached Batch.
    SUBMIT_GRACE: '20',
  });
  standIn.deploy(deployedBatch(deployed.template, deployed.references));
  const uploads = await startUploadService(deployed, { ...role, AWS_ENDPOINT_URL_BATCH: batch.url });
  cleanup.add(() => uploads.stop());
  const front = await serveFront([{ path: '/upload', origin: uploads.url }], restApi(deployed, endpoint, STAGE));
  cleanup.add(() => front.close());
  const { TableName: tableName = '', BucketName: bucketName = '' } = deployed.outputs;
  const stores = { TABLE_NAME: tableName, BUCKET_NAME: bucketName };
  return {
    baseUrl: front.url,
    apiKey: await createKey({ ...role, ...stores }),
    endpoint,
    tableName,
    bucketName,
    functions: functionNames(deployed),
    batchUrl: batch.url,
    recordsProxyUrl: records.url,
  };
}

/** The emulator starts while the template is made. */
async function deployToEmulator(cleanup: Cleanup, port: number, lambdaEnv: Record<string, string>): Promise<Deployed> {
  const folder = mkdtempSync(join(tmpdir(), 'aws-assembly-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const starting = startEmulator({ port, lambdaEnv }).then((emulator) => {
    cleanup.add(() => emulator.stop());
    return emulator;
  });
  const [emulator, assembly] = await Promise.allSettled([starting, synthesise(folder)]);
  if (emulator.status === 'rejected') throw emulator.reason;
  if (assembly.status === 'rejected') throw assembly.reason;
  return deploy(assembly.value, emulator.value.url);
}

/** As an operator makes one. */
async function createKey(environment: Record<string, string>): Promise<string> {
  const said = await command(bin('node'), ['server/keys.ts', 'create', 'tests'], environment);
  const key = /API key \(shown once\): (\S+)/.exec(said)?.[1];
  if (!key) throw new Error(`No key was made.\n${said}`);
  return key;
}
