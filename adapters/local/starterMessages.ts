import { z } from 'zod';

export const orderSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    id: z.int(),
    command: z.string(),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal('kill'), id: z.int(), signal: z.enum(['SIGTERM', 'SIGKILL']) }),
]);
export type StarterOrder = z.infer<typeof orderSchema>;

/** Per process: `started` or `failed` first, `closed` last. */
export const noticeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), id: z.int(), pid: z.int() }),
  z.object({ kind: z.literal('failed'), id: z.int(), message: z.string() }),
  z.object({ kind: z.literal('output'), id: z.int(), text: z.string() }),
  z.object({
    kind: z.literal('closed'),
    id: z.int(),
    exitCode: z.int().nullable(),
    signal: z.custom<NodeJS.Signals>((value) => typeof value === 'string').nullable(),
    errorTail: z.string(),
  }),
]);
export type StarterNotice = z.infer<typeof noticeSchema>;
