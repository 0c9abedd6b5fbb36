/** Shares of rows (or guesses) with a property, beside that of held-out rows: more of it is worse. */
import type { MeasuredFigure } from '../../../domain/schema/measuredFigure.ts';
import { shareDifference, wilson } from '../intervals.ts';
import { judgeLeak, toMeasured } from '../measured.ts';

export interface Count {
  hits: number;
  of: number;
}

export interface ShareTask {
  synthetic: Count;
  /** None where no rows were held out. */
  holdout: Count | null;
  independent: Count;
  swapped: Count;
  reason: string;
}

const shareOf = (count: Count | null): number | undefined =>
  count && count.of > 0 ? count.hits / count.of : undefined;

/** 'worse' where the share is above that of held-out rows beyond chance. */
export function shareFigure({ synthetic, holdout, independent, swapped, reason }: ShareTask): MeasuredFigure {
  const gap =
    holdout && holdout.of > 0 && synthetic.of > 0
      ? shareDifference(synthetic.hits, synthetic.of, holdout.hits, holdout.of)
      : undefined;
  return toMeasured({
    value: shareOf(synthetic),
    interval: synthetic.of > 0 ? wilson(synthetic.hits, synthetic.of) : undefined,
    rows: synthetic.of,
    reason,
    holdout: shareOf(holdout),
    independent: shareOf(independent),
    swapped: shareOf(swapped),
    verdict: judgeLeak(gap && (shareOf(synthetic) ?? 0) - (shareOf(holdout) ?? 0), gap, 0),
  });
}

export const addCounts = (counts: readonly Count[]): Count => ({
  hits: counts.reduce((sum, { hits }) => sum + hits, 0),
  of: counts.reduce((sum, count) => sum + count.of, 0),
});
