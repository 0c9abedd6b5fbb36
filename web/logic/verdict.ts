/** The figures of a finished job by name, and the tone of its verdicts. */

import type { JobMetrics, MeasuredFigure } from '../../packages/contract/metrics.ts';
import { type Grade, type Judgement, worstGrade } from '../../packages/contract/verdicts.ts';
import { figureName } from '../../packages/words/report.ts';

/** A figure among the groups of `metrics`, under its name there: "privacy: dcr share". */
export interface NamedFigure {
  group: string;
  name: string;
  figure: MeasuredFigure;
}

const GROUPS = ['fidelity', 'utility', 'privacy', 'text'] as const;

/** Every measured figure of the report, however deep it lies, so that figures that are added later show by themselves. */
export function namedFigures(metrics: JobMetrics): NamedFigure[] {
  return GROUPS.flatMap((group) => figuresIn(metrics[group], []).map(({ name, figure }) => ({ group, name, figure })));
}

function figuresIn(value: unknown, path: string[]): { name: string; figure: MeasuredFigure }[] {
  if (Array.isArray(value)) return value.flatMap((entry: unknown) => figuresIn(entry, [...path, labelOf(entry)]));
  if (typeof value !== 'object' || value === null) return [];
  if (isMeasured(value)) return [{ name: path.filter(Boolean).join(', '), figure: value }];
  return Object.entries(value).flatMap(([key, entry]) => figuresIn(entry, [...path, figureName(key)]));
}

function labelOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return '';
  const label: unknown = 'column' in entry ? entry.column : 'with' in entry ? entry.with : '';
  return typeof label === 'string' ? label : '';
}

const isMeasured = (value: object): value is MeasuredFigure =>
  'value' in value && 'verdict' in value && 'holdout' in value;

// The tone in which the page shows a grade.

type Tone = 'good' | 'fair' | 'poor' | 'open';

const TONES: Record<Grade, Tone> = { good: 'good', mixed: 'fair', poor: 'poor', unknown: 'open' };

export const toneOf = ({ grade }: Pick<Judgement, 'grade'>): Tone => TONES[grade];

/** The tone of the whole is that of the worst area. */
export const worstTone = (verdicts: readonly Judgement[]): Tone => TONES[worstGrade(verdicts)];
