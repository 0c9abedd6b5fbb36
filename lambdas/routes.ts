/** Lambda calls `streaming` for streamed answers. */
import { readFile } from 'node:fs/promises';
import { WorkerUploadReader } from '../adapters/local/workerUploadReader.ts';
import { createApp } from '../api/app.ts';
import { BUNDLE_FILE } from '../mcp/bundleFile.ts';
import { readSettings } from '../server/settings.ts';
import { buffered, type StreamingRuntime, streamed } from './gateway.ts';
import { openService } from './openService.ts';

/** The worker is bundled beside functions that take uploads. */
const WORKER = import.meta.url.endsWith('.mjs') ? './profileWorker.mjs' : '../adapters/local/profileWorker.ts';

/** Fits into 3 GB and API Gateway's 29 seconds. */
const LIMITS = { atOnce: 1, heapMb: 2048, timeLimitMs: 25_000 };

const reader = new WorkerUploadReader({ entry: new URL(WORKER, import.meta.url), ...LIMITS });

const mcpBundle = async (): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await readFile(new URL(`./${BUNDLE_FILE}`, import.meta.url)));

/** Other runtimes have no such object, or the AWS SDK's empty one. */
const runtime: StreamingRuntime | undefined =
  typeof awslambda === 'undefined' || !('streamifyResponse' in awslambda) ? undefined : awslambda;

const { service } = openService(reader);
const application = createApp(service, { ...readSettings(process.env), mcpBundle });

export const handler = buffered(application);
export const streaming = streamed(application, runtime);
