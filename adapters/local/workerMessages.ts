/** What worker threads and those who give them work say to each other. A worker pulls: one chunk is on its way at most. */
import { z } from 'zod';
import { ENCODINGS } from '../../packages/contract/files.ts';
import { type Case, isRefusal } from '../../packages/contract/problems.ts';
import type { RefusalReason } from '../../packages/contract/reasons.ts';
import { CONVERSION_NAMES } from '../../packages/tables/formats.ts';
import type { Question } from '../../service/heavyWork.ts';

const bytes = z.instanceof(Uint8Array<ArrayBuffer>);

/** An object's bytes, on `pull`. */
export const BYTES = [z.object({ kind: z.literal('chunk'), bytes }), z.object({ kind: z.literal('end') })] as const;

/** How work ends that has no result. */
const ENDINGS = [
  /** A ServiceError. */
  z.object({
    kind: z.literal('refused'),
    params: z.custom<Case<RefusalReason>>(isRefusal),
    field: z.string().optional(),
  }),
  /** A fault of the service. */
  z.object({ kind: z.literal('failed'), fault: z.string() }),
] as const;

export type Ending = z.infer<(typeof ENDINGS)[number]>;

const pull = z.object({ kind: z.literal('pull') });

// The reader of uploads.

export const toReaderSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), fileName: z.string(), encoding: z.enum(ENCODINGS).optional() }),
  ...BYTES,
]);
export type ToReader = z.infer<typeof toReaderSchema>;

const profile = z.object({ rows: z.int(), profile: bytes, report: bytes });

export const fromReaderSchema = z.discriminatedUnion('kind', [
  pull,
  z.object({ kind: z.literal('profile'), profile }),
  ...ENDINGS,
]);
export type FromReader = z.infer<typeof fromReaderSchema>;

// What does heavy work: answers a question, or converts a table, whose pieces it gives one by one.

export const toHeavyWorkerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ask'), question: z.custom<Question>(), profile: bytes }),
  z.object({ kind: z.literal('convert'), format: z.enum(CONVERSION_NAMES), numeric: z.array(z.string()) }),
  /** The last piece was taken. */
  z.object({ kind: z.literal('next') }),
  ...BYTES,
]);
export type ToHeavyWorker = z.infer<typeof toHeavyWorkerSchema>;

export const fromHeavyWorkerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), answer: z.unknown() }),
  /** The table is to be read from its beginning. */
  z.object({ kind: z.literal('open') }),
  pull,
  z.object({ kind: z.literal('piece'), bytes }),
  z.object({ kind: z.literal('converted') }),
  ...ENDINGS,
]);
export type FromHeavyWorker = z.infer<typeof fromHeavyWorkerSchema>;
