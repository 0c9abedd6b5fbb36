/** Grades of verdicts, without their schema: the page takes them and loads no library for it. */

export const GRADES = ['unknown', 'good', 'not_shown', 'mixed', 'poor'] as const;
export type Grade = (typeof GRADES)[number];

/** The worst of the grades; `unknown` where there are none, or nothing else. */
export const worstGrade = (judgements: readonly { grade: Grade }[]): Grade =>
  GRADES[Math.max(0, ...judgements.map(({ grade }) => GRADES.indexOf(grade)))] ?? 'unknown';
