/** Worker threads of models: started, asked, and ended; one that dies is told as a JobError. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JobError } from '../../../domain/errors.ts';
import { OUT_OF_MEMORY } from '../../../domain/job/failures.ts';

/** A thread that has been told to end is waited for so long. */
const END_MS = 2000;

export function startThread(entry: URL, workerData?: unknown): Worker {
  const worker = new Worker(entry, { workerData, env: {}, execArgv: ['--disable-warning=ExperimentalWarning'] });
  // Whoever waits for its reply hears of an error too; between replies one must not end the process.
  worker.on('error', () => undefined);
  return worker;
}

/**
 * Its next message, not checked: both sides are one version of this code. Throws JobError where it dies; `work` is what
 * it did, for the words.
 */
export async function replyOf<Reply>(worker: Worker, work: string): Promise<Reply> {
  const over = new AbortController();
  try {
    const ended = once(worker, 'exit', { signal: over.signal }).then(() => {
      throw new Error('it ended by itself');
    });
    const [reply] = await Promise.race([once(worker, 'message', { signal: over.signal }), ended]);
    return reply;
  } catch (error) {
    throw failureOf(error, work);
  } finally {
    over.abort();
  }
}

function failureOf(error: unknown, work: string): JobError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new JobError(OUT_OF_MEMORY.code, OUT_OF_MEMORY.message);
  return new JobError(
    'crashed',
    `A thread that ${work} died. Send POST /generate again; if it ends so again, tell the operator the job_id.`,
    { cause: error },
  );
}

/** Tells threads that have nothing to do to end by themselves (by `null`), which is safer than to end them from outside. */
export async function endIdle(workers: readonly Worker[]): Promise<void> {
  await Promise.all(
    workers.map(async (worker) => {
      const ended = once(worker, 'exit', { signal: AbortSignal.timeout(END_MS) });
      worker.postMessage(null);
      await ended.catch(() => undefined);
    }),
  );
}
