/** Reads uploads in a worker thread of the function. */
import { WorkerUploadReader } from '../../adapters/local/workerUploadReader.ts';

/** Beside the bundle, the worker's own bundle. */
const WORKER = import.meta.url.endsWith('.mjs') ? './profileWorker.mjs' : '../../adapters/local/profileWorker.ts';

/** Of 3 GB; and an answer within API Gateway's 29 seconds. */
const LIMITS = { atOnce: 1, heapMb: 2048, timeLimitMs: 25_000 };

export const workerReader = (): WorkerUploadReader =>
  new WorkerUploadReader({ entry: new URL(WORKER, import.meta.url), ...LIMITS });
