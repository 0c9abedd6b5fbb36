import { z } from 'zod';
import { JOB_ERROR_CODES } from './reasons.ts';

/** `queued` waits for a slot, `started` for a machine; `done` and `failed` are final. */
export const JOB_STATES = ['uploaded', 'queued', 'started', 'running', 'done', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

export const CALLBACK_STATES = ['waiting', 'delivered', 'failed'] as const;
export type CallbackState = (typeof CALLBACK_STATES)[number];

/** No rule blocks the rows, they await release, or they were released. */
export const RELEASE_STATES = ['open', 'withheld', 'released'] as const;
export type ReleaseState = (typeof RELEASE_STATES)[number];

const field = z.string().optional().meta({ description: 'The field of the request that the problem is about.' });
const params = z
  .looseObject({ reason: z.string().meta({ description: 'Names the exact case; later versions may add reasons.' }) })
  .meta({ description: 'What was found, as data; `message` says it in words.' });
const code = z.enum(JOB_ERROR_CODES);

export const errorSchema = z.object({ message: z.string(), code: z.string(), field, params });

export const jobErrorSchema = z.object({ code, message: z.string(), field, params });

export const jobFailureSchema = z.object({ code, field, params });
