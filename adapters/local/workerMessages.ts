/** Messages of worker threads. A worker pulls, so at most one chunk is in flight. */
import { z } from 'zod';
import { ENCODINGS } from '../../packages/contract/files.ts';
import { type Case, isRefusal } from '../../packages/contract/problems.ts';
import type { RefusalReason } from '../../packages/contract/reasons.ts';
import { CONVERSION_NAMES } from '../../packages/tables/formats.ts';
import type { Question } from '../../service/heavyWork.ts';

const bytes = z.instanceof(Uint8Array<ArrayBuffer>);

export const BYTES = [z.object({ kind: z.literal('chunk'), bytes }), z.object({ kind: z.literal('end') })] as const;

const ENDINGS = [
  z.object({
    kind: z.literal('refused'),
    params: z.custom<Case<RefusalReason>>(isRefusal),
    field: z.string().optional(),
  }),
  z.object({ kind: z.literal('failed'), fault: z.string() }),
] as const;

export type Ending = z.infer<(typeof ENDINGS)[number]>;

const pull = z.object({ kind: z.literal('pull') });

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

export const toHeavyWorkerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ask'), question: z.custom<Question>(), profile: bytes }),
  z.object({ kind: z.literal('convert'), format: z.enum(CONVERSION_NAMES), numeric: z.array(z.string()) }),
  z.object({ kind: z.literal('next') }),
  ...BYTES,
]);
export type ToHeavyWorker = z.infer<typeof toHeavyWorkerSchema>;

export const fromHeavyWorkerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), answer: z.unknown() }),
  z.object({ kind: z.literal('open') }),
  pull,
  z.object({ kind: z.literal('piece'), bytes }),
  z.object({ kind: z.literal('converted') }),
  ...ENDINGS,
]);
export type FromHeavyWorker = z.infer<typeof fromHeavyWorkerSchema>;
