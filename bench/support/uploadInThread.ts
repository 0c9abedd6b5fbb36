/** An upload by another caller than the one whose calls are timed. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { BenchServer } from './server.ts';
import type { UploadWork } from './uploadWork.ts';

const uploadAnswerSchema = z.object({ seconds: z.number(), text: z.string() });

/** The answer in words, and the seconds from the first byte sent to the whole answer. */
export type UploadAnswer = z.infer<typeof uploadAnswerSchema>;

/** Sends a file from the disk to POST /upload. Rejects where no answer came. */
export async function uploadInThread({ url, key }: BenchServer, path: string): Promise<UploadAnswer> {
  const workerData: UploadWork = { url, key, path };
  const worker = new Worker(new URL('./uploadThread.ts', import.meta.url), { workerData });
  const [answer] = await once(worker, 'message');
  return uploadAnswerSchema.parse(answer);
}
