/** The bytes of an upload on their way, with a digest of them and of the file's name: boundaries differ from try to try. */
import { createHash } from 'node:crypto';
import { digestOfParts } from './answerOnce.ts';
import type { ReceivedUpload } from './receiveUpload.ts';

export interface DigestedUpload {
  bytes: AsyncIterable<Uint8Array>;
  /** Reads what is not read yet. */
  digest(): Promise<string>;
}

export function digestUpload({ name, bytes }: Pick<ReceivedUpload, 'name' | 'bytes'>): DigestedUpload {
  const hash = createHash('sha256');
  let digest: string | undefined;
  async function* passing(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const passed = passing();
  return {
    bytes: passed,
    async digest() {
      for await (const _ of passed);
      digest ??= digestOfParts(['/upload', name, hash.digest('hex')]);
      return digest;
    },
  };
}
