/** The worker thread that reads one upload: asks for its bytes chunk by chunk, answers with its profile. */
import { parentPort, workerData } from 'node:worker_threads';
import { describeFault } from '../../domain/describeFault.ts';
import { ServiceError } from '../../domain/errors.ts';
import { profileUpload } from '../../domain/profile/profileUpload.ts';
import { type FromWorker, toWorkerSchema, workerDataSchema } from './workerMessages.ts';

const port = parentPort;
if (!port) throw new Error('profileWorker.ts is started as a worker thread only');

const say = (message: FromWorker): void => port.postMessage(message);

function nextMessage(): Promise<unknown> {
  return new Promise((resolve) => port?.once('message', resolve));
}

async function* pulledChunks(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const coming = nextMessage();
    say({ kind: 'pull' });
    const message = toWorkerSchema.parse(await coming);
    if (message.kind === 'end') return;
    yield message.bytes;
  }
}

try {
  const { fileName } = workerDataSchema.parse(workerData);
  say({ kind: 'profile', profile: await profileUpload(pulledChunks(), fileName) });
} catch (error) {
  if (error instanceof ServiceError) say({ kind: 'refused', code: error.code, message: error.message });
  else say({ kind: 'failed', fault: JSON.stringify(describeFault(error)) });
}
