/** What a finished job's figures amount to, in words: whatever is said here stands in figures below it on the page. */

import type { JobMetrics, MeasuredFigure, NumericMetrics } from '../../packages/contract/metrics.ts';
import type { ReportData } from '../../packages/contract/report.ts';
import { decimal, share } from '../../packages/words/format.ts';
import { figureName } from '../../packages/words/report.ts';
import { clause } from '../../packages/words/say.ts';
import { counted } from '../../packages/words/wording.ts';

export interface Verdict {
  tone: 'good' | 'fair' | 'poor' | 'open';
  title: string;
  sentences: string[];
}

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

/** Above the holdout's, where less is better: as good within these, by factor and by difference. */
const NEAR = { factor: 1.5, difference: 0.02 };
/** Share of figures that real rows beat: below it the table is good. */
const FEW_WORSE = 0.34;

export function verdictOf(metrics: JobMetrics): Verdict {
  const figures = namedFigures(metrics).filter(({ figure }) => figure.verdict !== null);
  const leaks = figures.filter(({ group, figure }) => group === 'privacy' && figure.verdict === 'worse');
  const likeness = figures.filter(({ group }) => group !== 'privacy');
  const worse = likeness.filter(({ figure }) => figure.verdict === 'worse');
  const sentences = [...copySentences(metrics), ...modelSentences(metrics)];
  if (leaks.length > 0) {
    const names = leaks.map(({ name }) => name).join('; ');
    const warning = `The synthetic rows are closer to training rows than to held-out rows (${names}). Review these metrics before you share the table.`;
    return { tone: 'poor', title: 'Review before you share this table', sentences: [warning, ...sentences] };
  }
  if (likeness.length > 0) return likenessVerdict(worse.length, likeness.length, sentences);
  return plainVerdict(metrics.numeric, metrics.holdout, sentences);
}

function likenessVerdict(worse: number, all: number, sentences: string[]): Verdict {
  const first = `${all - worse} of ${counted(all, 'metric')} are as good as for held-out real rows.`;
  if (worse / all <= FEW_WORSE)
    return { tone: 'good', title: 'The table resembles the original', sentences: [first, ...sentences] };
  return {
    tone: 'fair',
    title: 'The table resembles the original, with differences',
    sentences: [first, ...sentences],
  };
}

/** By the contract's own figures, for a job whose report has no more. */
function plainVerdict(numeric: NumericMetrics, holdout: JobMetrics['holdout'], sentences: string[]): Verdict {
  const [made, real] = [numeric['KS (Avg)'], holdout?.['KS (Avg)'] ?? null];
  if (made === null) return { tone: 'open', title: 'The table is ready', sentences };
  const distance = `Kolmogorov–Smirnov distance of single columns: ${decimal(made)} on average (0 = equal, 1 = nothing in common)`;
  if (real === null) {
    const alone = `${distance}. There are no held-out rows to compare with.`;
    return { tone: 'open', title: 'The table is ready', sentences: [alone, ...sentences] };
  }
  const beside = `${distance}; ${decimal(real)} for held-out real rows.`;
  const isNear = made <= real * NEAR.factor + NEAR.difference;
  return isNear
    ? { tone: 'good', title: 'The table resembles the original', sentences: [beside, ...sentences] }
    : { tone: 'fair', title: 'The table resembles the original, with differences', sentences: [beside, ...sentences] };
}

function copySentences({ numeric, holdout }: JobMetrics): string[] {
  const made = numeric['Duplicate Rate (%)'];
  if (made === null) return [];
  const real = holdout?.['Duplicate Rate (%)'] ?? null;
  const beside = real === null ? '' : ` (held-out real rows: ${share(real / 100)})`;
  return [`${share(made / 100)} of the rows equal a real row${beside}.`];
}

const modelSentences = ({ regression }: JobMetrics): string[] => {
  if (!regression || regression.converged) return [];
  return [`Target model: ${clause(regression.summary)}`];
};

// The report's judgements, area by area.

export type Judgement = ReportData['judgements'][number];

const TONES: Record<Judgement['grade'], Verdict['tone']> = {
  good: 'good',
  mixed: 'fair',
  poor: 'poor',
  unknown: 'open',
};
const ORDER: readonly Verdict['tone'][] = ['open', 'good', 'fair', 'poor'];

export const toneOf = ({ grade }: Judgement): Verdict['tone'] => TONES[grade];

/** The tone of the whole is that of the worst area. */
export const worstTone = (judgements: readonly Judgement[]): Verdict['tone'] =>
  ORDER[Math.max(0, ...judgements.map((judgement) => ORDER.indexOf(toneOf(judgement))))] ?? 'open';
