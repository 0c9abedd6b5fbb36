import type { Fact, JobEvent, Stage as JobStage } from '../../packages/contract/events.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';

export const STAGES = ['Queued', 'Reading', 'Fitting', 'Generating', 'Measuring', 'Writing'] as const;
export type Stage = (typeof STAGES)[number];

const JUDGING: readonly Stage[] = ['Queued', 'Reading', 'Measuring', 'Writing'];

export const stagesOf = ({ isComparison }: { isComparison: boolean }): readonly Stage[] =>
  isComparison ? JUDGING : STAGES;

/** Range of the bar for a job's stage. */
interface Band {
  stage: Stage;
  from: number;
  to: number;
}

type Bands = Record<JobStage, Band>;

const BANDS: Bands = {
  start: { stage: 'Reading', from: 0, to: 0.01 },
  load: { stage: 'Reading', from: 0.02, to: 0.03 },
  plan: { stage: 'Reading', from: 0.04, to: 0.05 },
  holdout: { stage: 'Fitting', from: 0.05, to: 0.06 },
  fit: { stage: 'Fitting', from: 0.06, to: 0.6 },
  generate: { stage: 'Generating', from: 0.6, to: 0.7 },
  gate: { stage: 'Generating', from: 0.7, to: 0.71 },
  measure: { stage: 'Measuring', from: 0.72, to: 0.96 },
  write: { stage: 'Writing', from: 0.97, to: 0.98 },
  report: { stage: 'Writing', from: 0.98, to: 0.99 },
  done: { stage: 'Writing', from: 1, to: 1 },
};

const BANDS_OF_JUDGING: Bands = {
  ...BANDS,
  holdout: { stage: 'Reading', from: 0.05, to: 0.06 },
  measure: { stage: 'Measuring', from: 0.08, to: 0.94 },
};

/** Ranges of measurable parts of `fit`. */
const FIT: Partial<Record<Fact, { from: number; to: number }>> = {
  categories_fitted: { from: 0.06, to: 0.1 },
  margins_fitted: { from: 0.1, to: 0.12 },
  trees_fitted: { from: 0.12, to: 0.13 },
  densities_fitted: { from: 0.13, to: 0.17 },
  vine_fitted: { from: 0.17, to: 0.19 },
  labels_fitted: { from: 0.19, to: 0.195 },
  labels_repeated: { from: 0.195, to: 0.2 },
  chains_sampled: { from: 0.2, to: 0.4 },
  proposals_weighted: { from: 0.2, to: 0.4 },
  text_epoch: { from: 0.42, to: 0.6 },
};

/** Their number is unknown. */
const LEFT_AFTER_EACH = 0.85;

export interface Standing {
  stage: Stage;
  /** 0 to 1; never decreases. */
  share: number;
}

export function standingOf({
  status,
  events,
  compared_with,
}: Pick<StatusReply, 'status' | 'events' | 'compared_with'>): Standing {
  if (status === 'done') return { stage: 'Writing', share: 1 };
  const bands = compared_with === undefined ? BANDS : BANDS_OF_JUDGING;
  let stage = 0;
  let share = 0;
  let measured = 0;
  for (const event of events) {
    if (event.stage === 'measure') measured++;
    stage = Math.max(stage, STAGES.indexOf(bands[event.stage].stage));
    share = Math.max(share, shareAt(event, measured, bands));
  }
  return { stage: STAGES[stage] ?? 'Queued', share: Math.min(share, 0.99) };
}

function shareAt(event: JobEvent, measured: number, bands: Bands): number {
  const { from, to } = FIT[event.fact] ?? bands[event.stage];
  if (event.stage === 'measure') return from + (to - from) * (1 - LEFT_AFTER_EACH ** measured);
  const isCounted = 'done' in event && 'total' in event && (event.stage !== 'fit' || event.fact in FIT);
  return isCounted ? from + (to - from) * Math.min(1, event.done / Math.max(1, event.total)) : from;
}
