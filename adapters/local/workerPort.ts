import { type MessagePort, parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import { describeFault } from '../../service/job/failures.ts';
import { HELPER_NICENESS, lowerThread } from '../shared/priority.ts';
import { BYTES, type Ending } from './workerMessages.ts';

function ownPort(): MessagePort {
  if (!parentPort) throw new Error('this module runs as a worker thread only');
  return parentPort;
}

const port = ownPort();

lowerThread(HELPER_NICENESS);

export const say = (message: unknown, transfer: readonly ArrayBuffer[] = []): void =>
  port.postMessage(message, transfer);

/** Call before sending the message that this answers. */
export const nextMessage = <Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>> =>
  new Promise((resolve, reject) => {
    port.once('message', (message) => {
      try {
        resolve(schema.parse(message));
      } catch (error) {
        reject(error);
      }
    });
  });

const chunkSchema = z.discriminatedUnion('kind', [...BYTES]);

export async function* pulledBytes(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const coming = nextMessage(chunkSchema);
    say({ kind: 'pull' });
    const message = await coming;
    if (message.kind === 'end') return;
    yield message.bytes;
  }
}

export function endingOf(error: unknown): Ending {
  if (!(error instanceof ServiceError)) return { kind: 'failed', fault: JSON.stringify(describeFault(error)) };
  const { params, field } = error;
  return { kind: 'refused', params, ...(field !== undefined && { field }) };
}
