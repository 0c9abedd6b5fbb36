/** What the stand-in does wrong on demand; everything is off at first. */
import { z } from 'zod';

export const faultsSchema = z.object({
  /** The next so many submissions are refused, and nothing is kept. */
  refuse: z.int().min(0).default(0),
  throttle: z.int().min(0).default(0),
  /** The next so many are accepted, and no answer is ever given. */
  silent: z.int().min(0).default(0),
  /** The next so many are accepted, answered, and forgotten: no event, no process, no trace. */
  lose: z.int().min(0).default(0),
  /** The process that sends the next submission is killed: before it is accepted, or after and before the answer. */
  killCaller: z.enum(['never', 'before', 'after']).default('never'),
  /** Jobs stay RUNNABLE. */
  hold: z.boolean().default(false),
  /** What a job does when it is started: the real process, or nothing but an end that the record never hears of. */
  run: z.enum(['real', 'vanish']).default('real'),
  /** Each event is delivered so many times (0: never), each time after a random wait below `eventDelayMs`. */
  eventCopies: z.int().min(0).max(10).default(1),
  eventDelayMs: z.int().min(0).default(0),
});

export type Faults = z.output<typeof faultsSchema>;
export const noFaults = (): Faults => faultsSchema.parse({});
