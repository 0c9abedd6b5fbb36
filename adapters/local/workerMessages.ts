/** What the reader of uploads and its worker thread say to each other. The worker pulls: one chunk is on its way at most. */
import { z } from 'zod';
import { type Case, isRefusal, type RefusalReason } from '../../packages/contract/problems.ts';
import { profileSchema } from '../../packages/tables/profile/profile.ts';

export const toWorkerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), fileName: z.string() }),
  z.object({ kind: z.literal('chunk'), bytes: z.instanceof(Uint8Array) }),
  z.object({ kind: z.literal('end') }),
]);
export type ToWorker = z.infer<typeof toWorkerSchema>;

export const fromWorkerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pull') }),
  z.object({ kind: z.literal('profile'), profile: profileSchema }),
  /** The upload was found wanting: a ServiceError. */
  z.object({ kind: z.literal('refused'), params: z.custom<Case<RefusalReason>>(isRefusal) }),
  /** A fault of the service. */
  z.object({ kind: z.literal('failed'), fault: z.string() }),
]);
export type FromWorker = z.infer<typeof fromWorkerSchema>;
