/** Uploads that no one would send on purpose: each has to be read, or refused by one of the upload errors, soon. */
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../packages/contract/errors.ts';
import { uploadReplySchema } from '../../packages/contract/replies.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { detectFamily } from '../../packages/synthesis/family/detectFamily.ts';
import { profileSchema, tableReport } from '../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { mutate } from './mutate.ts';
import { mutateWorkbook } from './mutateWorkbook.ts';
import { tableOfOddCells } from './oddCells.ts';
import { SEED_FILES, SEED_WORKBOOKS } from './seeds.ts';

export const UPLOAD_ERRORS: ReadonlySet<string> = new Set([
  'unsupported_file_type',
  'empty_file',
  'no_data_rows',
  'encoding_error',
  'parse_error',
  'file_too_large',
]);

/** A file that was answered otherwise than it may be: seed and number make it again. */
export interface Finding {
  number: number;
  what: string;
}

/** Of five files two are workbooks changed inside their archive, one is a table of odd cells, two are changed in their bytes. */
const WORKBOOKS = 2;
const ODD_CELLS = 3;

/** The file of a seed and a number. */
export function mutatedFile(seed: number, number: number): Uint8Array {
  const random = createStream(seed, String(number));
  if (number % 5 < WORKBOOKS) return mutateWorkbook(SEED_WORKBOOKS, random);
  return number % 5 < ODD_CELLS ? tableOfOddCells(random) : mutate(SEED_FILES, random);
}

/**
 * 'read' or the code of the upload error, or what else came of reading it, which is a finding: also a profile that is not
 * the same when it is stored and read again, or that no answer can be made of or no family found for.
 */
export async function answerTo(bytes: Uint8Array): Promise<string> {
  try {
    const profile = await profileUpload(once(bytes), 'upload.csv');
    const stored: unknown = JSON.parse(JSON.stringify(profile));
    if (!isDeepStrictEqual(profileSchema.parse(stored), stored)) return 'the profile changes when it is stored';
    uploadReplySchema.parse({ job_id: 'x', ...tableReport(profile) });
    const target = profile.columns.find(({ suggested_role }) => suggested_role === 'target');
    if (target) detectFamily(profile, target);
    return 'read';
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

export const isAllowed = (answer: string): boolean => answer === 'read' || UPLOAD_ERRORS.has(answer);

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
