/** What the figures of a finished job come to: said once, in its metrics, and read by every way in. */
import { z } from 'zod';
import { GRADES } from './grades.ts';

/** What a reader may do about a figure that falls short. */
const NEXT_ACTIONS = [
  'use_more_rows',
  'hold_out_rows',
  'cross_fit',
  'check_role',
  'keep_rare',
  'set_policy',
  'leave_out',
  'raise_text_epochs',
  'use_text_base',
  'raise_draws',
  'choose_family',
] as const;

const nextStepSchema = z.object({
  action: z.enum(NEXT_ACTIONS),
  /** The column that it is about; null where it is about the table or the request as a whole. */
  column: z.string().nullable(),
  text: z.string(),
});

/** A step that would mend what a verdict found: what to do, to which column, and the same in a sentence. */
export type NextStep = z.output<typeof nextStepSchema>;

/** Steps of records from before they had an action are sentences alone: those are left out. */
const withAction = (steps: unknown): unknown =>
  Array.isArray(steps) ? steps.filter((step) => typeof step !== 'string') : steps;

export const judgementSchema = z.object({
  area: z.enum(['likeness', 'usefulness', 'privacy', 'text', 'model']),
  grade: z.enum(GRADES),
  /** The grade in words, and what it rests on. */
  headline: z.string(),
  sentences: z.array(z.string()),
  /** What would mend it, best first; none where nothing is known to. */
  next: z.preprocess(withAction, z.array(nextStepSchema)).default([]),
  /** These rows could not be judged: the grade is that of the table that their model first made. */
  inherited: z.boolean().default(false),
});

/** A verdict on one aspect of the table, with the sentences that give its grounds. */
export type Judgement = z.output<typeof judgementSchema>;
