/** POST /upload of small files, which API Gateway and Lambda can carry; larger ones come by the upload service. */
import { WorkerUploadReader } from '../adapters/local/workerUploadReader.ts';
import { buffered } from './http/buffered.ts';
import { openService } from './http/openService.ts';

/** Beside the bundle, the worker's own bundle. */
const WORKER = import.meta.url.endsWith('.mjs') ? './profileWorker.mjs' : '../adapters/local/profileWorker.ts';

/** Of 3 GB; and an answer within API Gateway's 29 seconds. */
const LIMITS = { atOnce: 1, heapMb: 2048, timeLimitMs: 25_000 };

const reader = new WorkerUploadReader({ entry: new URL(WORKER, import.meta.url), ...LIMITS });

export const handler = buffered(openService(reader).application);
