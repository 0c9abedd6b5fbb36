/** Run as a thread of its own: one upload, so that sending it does not hold up the caller whose calls are timed. */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { uploadWorkSchema } from './uploadWork.ts';

const refusedSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

const { url, key, path } = uploadWorkSchema.parse(workerData);
const body = new FormData();
body.set('file', await openAsBlob(path), basename(path));
const start = performance.now();
const reply = await fetch(`${url}/upload`, { method: 'POST', body, headers: { 'X-API-Key': key } });
const answer = await reply.text();
parentPort?.postMessage({ seconds: (performance.now() - start) / 1000, text: inWords(reply.status, answer) });

/** Its status, and why where the file was refused. */
function inWords(status: number, answer: string): string {
  if (status < 400) return `${status}`;
  const { code, message } = refusedSchema.parse(JSON.parse(answer)).error;
  return `${status} ${code}: ${message}`;
}
