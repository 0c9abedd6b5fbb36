/** Kept separate from schemas, so that the page loads no library for grades. */

export const GRADES = ['unknown', 'good', 'not_shown', 'mixed', 'poor'] as const;
export type Grade = (typeof GRADES)[number];

/** Returns the worst grade; `unknown` if there is no other. */
export const worstGrade = (judgements: readonly { grade: Grade }[]): Grade =>
  GRADES[Math.max(0, ...judgements.map(({ grade }) => GRADES.indexOf(grade)))] ?? 'unknown';
