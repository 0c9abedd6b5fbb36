/** The worker thread that reads uploads, one after the other: asks for the bytes chunk by chunk, answers with the profile. */
import { parentPort } from 'node:worker_threads';
import { ServiceError } from '../../packages/contract/errors.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { describeFault } from '../../service/job/failures.ts';
import { type FromWorker, type ToWorker, toWorkerSchema } from './workerMessages.ts';

const port = parentPort;
if (!port) throw new Error('profileWorker.ts is started as a worker thread only');

const say = (message: FromWorker): void => port.postMessage(message);

function nextMessage(): Promise<ToWorker> {
  return new Promise((resolve) => port?.once('message', (message) => resolve(toWorkerSchema.parse(message))));
}

async function* pulledChunks(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const coming = nextMessage();
    say({ kind: 'pull' });
    const message = await coming;
    if (message.kind !== 'chunk') return;
    yield message.bytes;
  }
}

async function read(fileName: string): Promise<FromWorker> {
  try {
    return { kind: 'profile', profile: await profileUpload(pulledChunks(), fileName) };
  } catch (error) {
    if (error instanceof ServiceError) return { kind: 'refused', params: error.params };
    return { kind: 'failed', fault: JSON.stringify(describeFault(error)) };
  }
}

for (;;) {
  const message = await nextMessage();
  if (message.kind !== 'start') throw new Error('an upload starts with its name');
  say(await read(message.fileName));
}
