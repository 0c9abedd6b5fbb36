/** Overlap of coefficients: each table against as many training rows, and pairs of real samples to judge it by. */
import type { MeasuredFigure } from '../../../domain/schema/measuredFigure.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable } from '../../models/model.ts';
import { takeRows } from '../columns.ts';
import { meanDefined } from '../fidelity/columnDistances.ts';
import { bandInterval, judgeDistance, notMeasured, toMeasured } from '../measured.ts';
import { MADE, type Part, type Parts } from '../parts.ts';
import { dealFolds, sampleRows } from '../sampleRows.ts';
import { type Coefficients, overlap, planRegression, regress } from './coefficientOverlap.ts';
import { UTILITY_ROWS } from './targetUtility.ts';

/** Pairs of real samples that are compared, where there is one part. */
const REAL_PAIRS = 8;

interface PartOverlaps {
  made: (number | undefined)[];
  real: number[];
  rows: number;
}

export function coefficientsFigure({ parts, columns, target }: Parts, random: RandomStream): MeasuredFigure {
  if (target === null || !columns.numeric.includes(target)) return notMeasured('there is no numeric target column');
  const pairs = parts.length === 1 ? REAL_PAIRS : 1;
  const found = parts.flatMap((part, at): PartOverlaps[] => {
    const plan = planRegression(part.train, columns, target);
    if (!plan) return [];
    const most = parts.length === 1 ? part.train.rows >> 1 : part.train.rows;
    const rows = Math.min(UTILITY_ROWS, part.synthetic.rows, part.holdout?.rows ?? UTILITY_ROWS, most);
    const estimate = (table: ModelTable, name: string) =>
      regress(takeRows(table, sampleRows(table.rows, rows, random.child(`${at} ${name}`))), plan);
    const own = estimate(part.train, 'train');
    const against = (other: Coefficients | undefined) => (own && other ? overlap(own, other) : undefined);
    const made = MADE.map((name) => against(estimate(part[name], name)));
    return [{ made, real: realOverlaps(part, rows, pairs, random.child(`real ${at}`), estimate), rows }];
  });
  const mean = (at: number) => meanDefined(found.map(({ made }) => made[at]));
  const [value, independent, swapped] = [mean(0), mean(1), mean(2)];
  const real = found.flatMap((part) => part.real);
  // Overlaps as distances; neither side has seen more rows than the other, so that nothing is to be allowed for.
  const band = { distances: real.map((share) => 1 - share), compared: 0, reference: 1 };
  const distance = value === undefined ? undefined : 1 - value;
  const interval = bandInterval(distance, band);
  return toMeasured({
    value,
    interval: interval && [Math.max(0, 1 - interval[1]), Math.min(1, 1 - interval[0])],
    rows: found.reduce((sum, { rows }) => sum + rows, 0),
    reason: 'the target or all else does not vary, or there are fewer rows than coefficients',
    ideal: 1,
    holdout: meanDefined(found.map((part) => part.real[0])),
    independent,
    swapped,
    verdict: judgeDistance(distance, band),
  });
}

/** Held-out rows against training rows, then pairs of samples of the latter that share no row, where there are enough. */
function realOverlaps(
  { train, holdout }: Part,
  rows: number,
  pairs: number,
  random: RandomStream,
  estimate: (table: ModelTable, name: string) => Coefficients | undefined,
): number[] {
  const out: (number | undefined)[] = [];
  const compare = (a: ModelTable, b: ModelTable, name: string): void => {
    const [own, other] = [estimate(a, `${name} a`), estimate(b, `${name} b`)];
    out.push(own && other && overlap(own, other));
  };
  if (holdout) compare(train, holdout, 'holdout');
  for (let pair = 1; holdout && pair < pairs && train.rows >= 2 * rows; pair++) {
    const drawn = sampleRows(train.rows, 2 * rows, random.child(`pair ${pair}`));
    const halves = dealFolds(drawn.length, 2, random.child(`halves ${pair}`));
    const [a, b] = halves.map((half) =>
      takeRows(
        train,
        half.map((at) => drawn[at]!),
      ),
    );
    compare(a!, b!, `pair ${pair}`);
  }
  return out.filter((share) => share !== undefined);
}
