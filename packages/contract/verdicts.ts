/** What the figures of a finished job come to: said once, in its metrics, and read by every way in. */
import { z } from 'zod';

export const GRADES = ['unknown', 'good', 'mixed', 'poor'] as const;
export type Grade = (typeof GRADES)[number];

export const judgementSchema = z.object({
  area: z.enum(['likeness', 'usefulness', 'privacy', 'text', 'model']),
  grade: z.enum(GRADES),
  /** The grade in words, and what it rests on. */
  headline: z.string(),
  sentences: z.array(z.string()),
  /** What would mend it, best first; none where nothing is known to. */
  next: z.array(z.string()).default([]),
  /** These rows could not be judged: the grade is that of the table that their model first made. */
  inherited: z.boolean().default(false),
});

/** A verdict on one aspect of the table, with the sentences that give its grounds. */
export type Judgement = z.output<typeof judgementSchema>;

/** The worst of the grades; `unknown` where there are none, or nothing else. */
export const worstGrade = (judgements: readonly Pick<Judgement, 'grade'>[]): Grade =>
  GRADES[Math.max(0, ...judgements.map(({ grade }) => GRADES.indexOf(grade)))] ?? 'unknown';
