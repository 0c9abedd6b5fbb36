/** The report's judgements, area by area, as GET /report/<id>.json gives them. */
import type { Verdict } from './verdict.ts';

export interface Judgement {
  area: string;
  grade: string;
  headline: string;
  sentences: readonly string[];
}

const isJudgement = (value: unknown): value is Judgement =>
  typeof value === 'object' &&
  value !== null &&
  'area' in value &&
  'grade' in value &&
  'headline' in value &&
  'sentences' in value;

/** Empty where the answer has none: a report of another version, say. */
export function judgementsIn(report: unknown): Judgement[] {
  if (typeof report !== 'object' || report === null || !('judgements' in report)) return [];
  return Array.isArray(report.judgements) ? report.judgements.filter(isJudgement) : [];
}

const TONES: Record<string, Verdict['tone']> = { good: 'good', mixed: 'fair', poor: 'poor' };
const ORDER: readonly Verdict['tone'][] = ['open', 'good', 'fair', 'poor'];

export const toneOf = ({ grade }: Judgement): Verdict['tone'] => TONES[grade] ?? 'open';

/** The tone of the whole is that of the worst area. */
export const worstTone = (judgements: readonly Judgement[]): Verdict['tone'] =>
  ORDER[Math.max(0, ...judgements.map((judgement) => ORDER.indexOf(toneOf(judgement))))] ?? 'open';
