import { randomBytes } from 'node:crypto';
import { JobError } from '../packages/contract/errors.ts';
import { type Profile, profileSchema } from '../packages/tables/profile/profile.ts';
import { readTable } from '../packages/tables/readTable.ts';
import type { CellTable } from '../packages/tables/table.ts';
import { type Hashed, hashed } from '../service/hashing.ts';
import type { Job } from '../service/job/job.ts';
import { profileKey, readObject, uploadKey } from '../service/job/objectKeys.ts';
import type { ObjectStore } from '../service/ports.ts';

interface Loaded {
  profile: Profile;
  cells: CellTable;
  input: Input;
}

/** Size and hash as read, and a salted hash for the receipt (hexadecimal). */
export interface Input extends Hashed {
  salt: string;
  commitment: string;
}

const SALT_BYTES = 32;

export type Uploaded = Pick<Job, 'id' | 'fileBytes' | 'fileSha256' | 'receipt'>;

/** Throws JobError invalid_data if the upload was erased or altered. */
export async function loadUpload(objects: ObjectStore, owner: Uploaded): Promise<Loaded> {
  const profileBytes = await readObject(objects, profileKey(owner.id));
  const upload = await objects.get(uploadKey(owner.id));
  if (!profileBytes || !upload) {
    throw new JobError({ reason: 'upload_erased_before_run' });
  }
  const profile = profileSchema.parse(JSON.parse(new TextDecoder().decode(profileBytes)));
  const salt = owner.receipt ? Buffer.from(owner.receipt.input_salt, 'hex') : randomBytes(SALT_BYTES);
  let input: Input | undefined;
  const keep = (found: Input): void => {
    input = found;
  };
  const [reading] = await Promise.allSettled([readTable(inputHashed(upload.body, salt, keep), profile.dialect)]);
  if (!input) await readOn(objects, owner.id, salt, keep);
  if (!input) throw new Error('an upload ended without its end');
  refuseAltered(owner, input);
  if (reading.status === 'rejected') throw reading.reason;
  return { profile, cells: reading.value, input };
}

async function* inputHashed(
  bytes: AsyncIterable<Uint8Array>,
  salt: Uint8Array,
  onEnd: (input: Input) => void,
): AsyncGenerator<Uint8Array> {
  let own: Hashed | undefined;
  const plain = hashed(bytes, (found) => {
    own = found;
  });
  const salted = ({ sha256: commitment }: Hashed): void => {
    if (own) onEnd({ ...own, salt: Buffer.from(salt).toString('hex'), commitment });
  };
  yield* hashed(plain, salted, salt);
}

/** Checked first, since an altered file may also be unreadable. */
function refuseAltered({ fileBytes, fileSha256 }: Uploaded, { bytes, sha256 }: Hashed): void {
  if (bytes === fileBytes && sha256 === fileSha256) return;
  throw new JobError({ reason: 'upload_altered' });
}

async function readOn(
  objects: ObjectStore,
  jobId: string,
  salt: Uint8Array,
  onEnd: (input: Input) => void,
): Promise<void> {
  const upload = await objects.get(uploadKey(jobId));
  if (!upload) throw new JobError({ reason: 'upload_erased_before_run' });
  for await (const _ of inputHashed(upload.body, salt, onEnd));
}
