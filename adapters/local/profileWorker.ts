/** Worker thread that pulls an upload's chunks and answers with its profile. */
import { encodeProfile } from '../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { type FromReader, type ToReader, toReaderSchema } from './workerMessages.ts';
import { endingOf, nextMessage, pulledBytes, say } from './workerPort.ts';

type Start = Extract<ToReader, { kind: 'start' }>;

async function read({ fileName, encoding }: Start): Promise<FromReader> {
  try {
    return { kind: 'profile', profile: encodeProfile(await profileUpload(pulledBytes(), fileName, encoding)) };
  } catch (error) {
    return endingOf(error);
  }
}

for (;;) {
  const message = await nextMessage(toReaderSchema);
  if (message.kind !== 'start') throw new Error('an upload starts with its name');
  const found = await read(message);
  say(found, found.kind === 'profile' ? [found.profile.profile.buffer, found.profile.report.buffer] : []);
}
