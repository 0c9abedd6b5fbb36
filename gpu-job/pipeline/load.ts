/** load: the upload as a table of cells, and what was learnt from it. */
import { JobError } from '../../domain/errors.ts';
import { profileKey, uploadKey } from '../../domain/job/objectKeys.ts';
import { readObject } from '../../domain/job/readObject.ts';
import type { ObjectStore } from '../../domain/ports.ts';
import { type Profile, profileSchema } from '../../domain/profile/profile.ts';
import { readTable } from '../../domain/table/readTable.ts';
import type { CellTable } from '../../domain/table/table.ts';
import { type Hashed, hashed, hashOf } from './hashing.ts';

export interface Loaded {
  profile: Profile;
  table: CellTable;
  /** Of the file as it was uploaded. */
  input: Hashed;
}

/** Throws JobError invalid_data where the upload has been erased. */
export async function load(objects: ObjectStore, jobId: string): Promise<Loaded> {
  const profileBytes = await readObject(objects, profileKey(jobId));
  const upload = await objects.get(uploadKey(jobId));
  if (!profileBytes || !upload) {
    throw new JobError(
      'invalid_data',
      'The upload of this job has been erased. Upload the file again for a new job_id.',
    );
  }
  const profile = profileSchema.parse(JSON.parse(new TextDecoder().decode(profileBytes)));
  let input: Hashed | undefined;
  const body = hashed(upload.body, (found) => {
    input = found;
  });
  const table = await readTable(body, profile.dialect);
  return { profile, table, input: input ?? (await hashOfAll(objects, jobId)) };
}

/** Where a reader left off before the end. */
async function hashOfAll(objects: ObjectStore, jobId: string): Promise<Hashed> {
  const upload = await objects.get(uploadKey(jobId));
  if (!upload) throw new JobError('invalid_data', 'The upload of this job was erased while it was read.');
  return hashOf(upload.body);
}
