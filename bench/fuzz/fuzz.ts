/** Uploads that no one would send on purpose: each has to be read, or refused by one of the upload errors, soon. */
import { ServiceError } from '../../packages/contract/errors.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { mutate } from './mutate.ts';
import { mutateWorkbook } from './mutateWorkbook.ts';
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

/** Two in five files are workbooks changed inside their archive; the others are changed in their bytes. */
const OF_FIVE = 2;

/** The file of a seed and a number. */
export function mutatedFile(seed: number, number: number): Uint8Array {
  const random = createStream(seed, String(number));
  return number % 5 < OF_FIVE ? mutateWorkbook(SEED_WORKBOOKS, random) : mutate(SEED_FILES, random);
}

/** 'read' or the code of the upload error, or what else came of reading it, which is a finding. */
export async function answerTo(bytes: Uint8Array): Promise<string> {
  try {
    await profileUpload(once(bytes), 'upload.csv');
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
