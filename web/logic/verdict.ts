import { type Grade, worstGrade } from '../../packages/contract/grades.ts';
import type { Judgement } from '../../packages/contract/verdicts.ts';

type Tone = 'good' | 'fair' | 'poor' | 'open';

const TONES: Record<Grade, Tone> = {
  good: 'good',
  not_shown: 'open',
  mixed: 'fair',
  poor: 'poor',
  unknown: 'open',
};

export const toneOf = ({ grade }: Pick<Judgement, 'grade'>): Tone => TONES[grade];

export const worstTone = (verdicts: readonly Judgement[]): Tone => TONES[worstGrade(verdicts)];
