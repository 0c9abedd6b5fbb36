/**
 * All functions that answer routes. Which routes come to one, and what it may do, is said where it is deployed; Lambda
 * calls `streaming` where the answer is sent while it is made, else `handler`.
 */
import { readFile } from 'node:fs/promises';
import { WorkerUploadReader } from '../adapters/local/workerUploadReader.ts';
import { createApp } from '../api/app.ts';
import { BUNDLE_FILE } from '../mcp/bundleFile.ts';
import { readSettings } from '../server/settings.ts';
import { buffered, type StreamingRuntime, streamed } from './gateway.ts';
import { openService } from './openService.ts';

/** What reads uploads: beside the bundle, in the functions that take them, the worker's own bundle. */
const WORKER = import.meta.url.endsWith('.mjs') ? './profileWorker.mjs' : '../adapters/local/profileWorker.ts';

/** The heap leaves room in 3 GB; the time, for an answer within API Gateway's 29 seconds. */
const LIMITS = { atOnce: 1, heapMb: 2048, timeLimitMs: 25_000 };

const reader = new WorkerUploadReader({ entry: new URL(WORKER, import.meta.url), ...LIMITS });

/** The bundle for desktop assistants: a file beside the function's own, made when the function was bundled. */
const mcpBundle = async (): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await readFile(new URL(`./${BUNDLE_FILE}`, import.meta.url)));

/** Lambda's own Node.js runtime streams. Others have no such object, or the empty one that the AWS SDK leaves there. */
const runtime: StreamingRuntime | undefined =
  typeof awslambda === 'undefined' || !('streamifyResponse' in awslambda) ? undefined : awslambda;

const { service } = openService(reader);
const application = createApp(service, { ...readSettings(process.env), mcpBundle });

export const handler = buffered(application);
export const streaming = streamed(application, runtime);
