import type { Grade } from '../../../contract/grades.ts';
import { type MeasuredFigure, measuredFigureSchema } from '../../../contract/measuredFigure.ts';
import type { JobMetrics } from '../../../contract/metrics.ts';
import type { Judgement, NextStep } from '../../../contract/verdicts.ts';
import { quoted } from '../../../words/wording.ts';

export type Figures = Omit<JobMetrics, 'verdicts'>;
export type Judged = Omit<Judgement, 'inherited'>;

export const MORE_ROWS: NextStep = {
  action: 'use_more_rows',
  column: null,
  text: 'Use a table with more rows: some have to be held out to compare with.',
};

/** Grades of metrics with a baseline. */
export type GradeBeside = Exclude<Grade, 'not_shown'>;

/** Good if no metric is worse than real rows, poor if half are. */
export function gradeOf(figures: readonly MeasuredFigure[]): GradeBeside {
  const judged = figures.filter(({ verdict }) => verdict !== null);
  const worse = judged.filter(({ verdict }) => verdict === 'worse').length;
  if (judged.length === 0) return 'unknown';
  if (worse === 0) return 'good';
  return 2 * worse >= judged.length ? 'poor' : 'mixed';
}

export const figureOfEntities = (group: Readonly<Record<string, unknown>>, name: string): MeasuredFigure[] => {
  const { data } = measuredFigureSchema.safeParse(group[name]);
  return data ? [data] : [];
};

export const baseline = ({ holdout }: MeasuredFigure, write: (value: number) => string): string =>
  holdout === null ? '' : ` (held-out real rows: ${write(holdout)})`;

export const said = ({ value }: MeasuredFigure, sentence: (value: number) => string): string[] =>
  value === null ? [] : [sentence(value)];

export const checkRole = (column: string): NextStep => ({
  action: 'check_role',
  column,
  text: `Look at ${quoted(column)}: if its role is wrong (codes as numbers, numbers as categories), change it and run again.`,
});

export const onceEach = (steps: readonly NextStep[]): NextStep[] => [
  ...new Map(steps.map((step) => [step.text, step])).values(),
];

export const redrawTexts = (column: string | null): NextStep[] => [
  {
    action: 'set_policy',
    column,
    text: 'Run again with a release policy on verbatim texts, which redraws the rows that have them.',
  },
  ...(column === null
    ? []
    : [{ action: 'leave_out' as const, column, text: `Leave ${quoted(column)} out if its texts are not needed.` }]),
];
