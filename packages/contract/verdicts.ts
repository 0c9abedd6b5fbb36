import { z } from 'zod';
import { GRADES } from './grades.ts';

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
  /** Null for the table or request as a whole. */
  column: z.string().nullable(),
  text: z.string(),
});

/** A step that would improve a verdict: the action, the column and a sentence. */
export type NextStep = z.output<typeof nextStepSchema>;

/** Drops steps of older records, which are plain sentences. */
const withAction = (steps: unknown): unknown =>
  Array.isArray(steps) ? steps.filter((step) => typeof step !== 'string') : steps;

export const judgementSchema = z.object({
  area: z.enum(['likeness', 'usefulness', 'privacy', 'text', 'model']),
  grade: z.enum(GRADES),
  headline: z.string(),
  sentences: z.array(z.string()),
  /** Improvements, best first. */
  next: z.preprocess(withAction, z.array(nextStepSchema)).default([]),
  /** The grade belongs to the first table of the model. */
  inherited: z.boolean().default(false),
});

/** A verdict on one aspect of the table, with its grounds. */
export type Judgement = z.output<typeof judgementSchema>;
