/**
 * Membership inference by five scores, higher for likelier training rows:
 *   distance        nearness to the nearest synthetic row (Hayes et al., 2019; Chen et al., 2020);
 *   distance ratio  second nearest over nearest synthetic distance;
 *   density ratio   reference over synthetic distance (DOMIAS, van Breugel et al., 2023);
 *   coincidence     rare agreements (`agreements.ts`);
 *   worst column    agreement in the worst column (`worstColumns.ts`).
 * Reports AUC, true positives at 1 % and 10 % false ones, and the highest scores, over all rows and the 5 % furthest
 * from the reference: the other held-out rows, one of which is left out for a training row too.
 */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { MembershipAttack, PrivacyMetrics } from '../../../contract/metrics.ts';
import { MEMBERSHIP_OVER, MEMBERSHIP_SCORES } from '../../../contract/metrics.ts';
import { variance } from '../../../numerics/moments.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { normalQuantile } from '../../../numerics/special/normal.ts';
import type { ModelTable } from '../../models/model.ts';
import { takeRows } from '../../table/takeRows.ts';
import { type MeasuredColumns, numericNamed, present } from '../columns.ts';
import { type Auc, type Interval, rocAuc, shareDifference, VERDICT_LEVEL, VERDICT_Z, wilson } from '../intervals.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { judgeLeak, toMeasured } from '../measured.ts';
import { neighboursOf, widthOf } from '../nearestNeighbours.ts';
import { type Made, NO_COLUMN, NO_HOLDOUT, type PrivatePart, sampleRows, YARDSTICK_ROWS } from '../parts.ts';
import { coincidences } from './agreements.ts';
import { highestFigure } from './highest.ts';
import { worstColumns } from './worstColumns.ts';

const COIN = 0.5;

/** Splits the verdict level. */
const LEVEL = VERDICT_LEVEL / (MEMBERSHIP_SCORES.length * MEMBERSHIP_OVER.length);

/** Widening for simultaneous verdicts. */
const WIDER = normalQuantile(1 - LEVEL) / VERDICT_Z;

const ISOLATED = 0.05;

/** Avoids division by 0. */
const TINY = 1e-4;

type Found = Pick<PrivacyMetrics, 'membership_inference' | 'membership'>;

export const membership: Measure<Found, AttackTask> = async (task) => {
  const { columns } = task.measured;
  const parts = task.ranked;
  const reason = parts.some(({ holdout }) => holdout) ? NO_COLUMN : NO_HOLDOUT;
  const sides = sidesOf(parts, columns, task.random.child('membership'));
  const attacks = MEMBERSHIP_SCORES.flatMap((score) =>
    MEMBERSHIP_OVER.map((over) => ({ score, over, ...figuresOf(sides, score, over, reason) })),
  );
  const nearest = attacks[0]!.auc;
  const rows = sides.train.distance.length + sides.holdout.distance.length;
  await task.onProgress({ stage: 'measure', fact: 'membership_tested', rows });
  const beside = {
    independent: nearnessAuc(parts, 'independent', columns)?.value ?? null,
    swapped: nearnessAuc(parts, 'swapped', columns)?.value ?? null,
  };
  return { membership_inference: { ...nearest, ...beside }, membership: attacks };
};

interface Known {
  distance: number[];
  second: number[];
  reference: number[];
  coincidence: number[];
  worstColumn: number[];
}

type Sides = Readonly<Record<'train' | 'holdout', Known>>;

function sidesOf(parts: readonly PrivatePart[], columns: MeasuredColumns, random: RandomStream): Sides {
  const nothing = (): Known => ({ distance: [], second: [], reference: [], coincidence: [], worstColumn: [] });
  const sides = { train: nothing(), holdout: nothing() };
  if (widthOf(columns) === 0) return sides;
  for (const [at, part] of parts.entries()) {
    const { holdout, peers, made } = part;
    if (!holdout || !peers || holdout.rows < 2 || made.synthetic.rows === 0) continue;
    addAgreements(part, columns, random.child(`agreements ${at}`), sides);
    addDistances(peers, made.synthetic, columns, sides.train);
    addDistances(holdout, made.synthetic, columns, sides.holdout);
    addReference(peers, holdout, columns, random.child(`part ${at}`), sides.train);
    addReference(holdout, holdout, columns, null, sides.holdout);
  }
  return sides;
}

function addDistances(queried: ModelTable, made: ModelTable, columns: MeasuredColumns, out: Known): void {
  const neighbours = neighboursOf(queried, made, columns);
  for (let row = 0; row < queried.rows; row++) {
    const { distance, second } = neighbours.nearestTwo(row);
    out.distance.push(distance);
    out.second.push(Number.isFinite(second) ? second : distance);
  }
}

/** Maximum synthetic cells for agreements. */
const AGREEING_CELLS = 150_000;

function addAgreements(
  { unranked: { peers, holdout, synthetic } }: PrivatePart,
  columns: MeasuredColumns,
  random: RandomStream,
  sides: Sides,
): void {
  if (!peers || !holdout) return;
  const rows = Math.floor(AGREEING_CELLS / widthOf(columns));
  const made = takeRows(synthetic, sampleRows(synthetic.rows, rows, random));
  const scale = (name: string): number => spreadOf([peers, holdout], name);
  for (const [persons, out] of [
    [peers, sides.train],
    [holdout, sides.holdout],
  ] as const) {
    for (const score of coincidences(persons, made, columns)) out.coincidence.push(score);
    for (const gap of worstColumns(persons, made, columns, scale)) out.worstColumn.push(gap);
  }
}

/** Standard deviation; 1 for constants. */
function spreadOf(tables: readonly ModelTable[], name: string): number {
  const values = tables.flatMap((table) => [...present(numericNamed(table, name).values)]);
  const spread = Math.sqrt(variance(values));
  return spread > 0 && Number.isFinite(spread) ? spread : 1;
}

/** @param random omits one of n reference rows; null omits the row itself. */
function addReference(
  queried: ModelTable,
  holdout: ModelTable,
  columns: MeasuredColumns,
  random: RandomStream | null,
  out: Known,
): void {
  const neighbours = neighboursOf(queried, holdout, columns);
  for (let row = 0; row < queried.rows; row++) {
    const { distance, second } = neighbours.nearestTwo(row);
    const isOut = random === null || random.integer(holdout.rows) === 0;
    out.reference.push(isOut ? second : distance);
  }
}

const SCORES: Readonly<Record<MembershipAttack['score'], (of: Known, row: number) => number>> = {
  distance: ({ distance }, row) => -distance[row]!,
  distance_ratio: ({ distance, second }, row) => logRatio(second[row]!, distance[row]!),
  density_ratio: ({ distance, reference }, row) => logRatio(reference[row]!, distance[row]!),
  coincidence: ({ coincidence }, row) => coincidence[row]!,
  worst_column: ({ worstColumn }, row) => -worstColumn[row]!,
};

const logRatio = (a: number, b: number): number => Math.log((a + TINY) / (b + TINY));

function figuresOf(
  sides: Sides,
  score: MembershipAttack['score'],
  over: MembershipAttack['over'],
  reason: string,
): Omit<MembershipAttack, 'score' | 'over'> {
  const least = over === 'isolated' ? isolatedFrom(sides) : Number.NEGATIVE_INFINITY;
  const scored = (of: Known): Float64Array =>
    Float64Array.from(of.reference.flatMap((distance, row) => (distance >= least ? [SCORES[score](of, row)] : [])));
  const [members, others] = [scored(sides.train), scored(sides.holdout)];
  return {
    auc: aucFigure(rocAuc(members, others), members.length + others.length, reason),
    true_positives_1: truePositives(members, others, 0.01, reason),
    true_positives_10: truePositives(members, others, 0.1, reason),
    highest: highestFigure(members, others, LEVEL, reason),
  };
}

function isolatedFrom({ train, holdout }: Sides): number {
  const all = Float64Array.from([...train.reference, ...holdout.reference]).sort();
  return all[Math.floor((1 - ISOLATED) * all.length)] ?? 0;
}

const aucFigure = (auc: Auc | undefined, rows: number, reason: string): MeasuredFigure =>
  toMeasured({
    value: auc?.value,
    interval: auc?.interval,
    rows,
    reason,
    ideal: COIN,
    verdict: auc ? judgeAsOneOfAll(auc.value, auc.interval, COIN) : null,
  });

const judgeAsOneOfAll = (value: number, [low, high]: Interval, real: number) =>
  judgeLeak(value, [value - (value - low) * WIDER, value + (high - value) * WIDER], real);

/**
 * Share of members above the score that at most `most` of the others exceed. The threshold is an estimate, so both shares are
 * compared as samples.
 */
function truePositives(members: Float64Array, others: Float64Array, most: number, reason: string): MeasuredFigure {
  const rows = members.length + others.length;
  const allowed = Math.floor(most * others.length);
  if (members.length === 0 || allowed === 0) {
    const few = `it needs ${Math.ceil(1 / most)} held-out rows`;
    return toMeasured({ value: undefined, rows, reason: others.length === 0 ? reason : few });
  }
  const threshold = others.toSorted()[others.length - 1 - allowed]!;
  const count = (scores: Float64Array): number => scores.reduce((sum, score) => sum + (score > threshold ? 1 : 0), 0);
  const [hits, alarms] = [count(members), count(others)];
  const value = hits / members.length;
  const gap = shareDifference(hits, members.length, alarms, others.length);
  return toMeasured({
    value,
    interval: wilson(hits, members.length),
    rows,
    ideal: most,
    holdout: alarms / others.length,
    verdict: judgeAsOneOfAll(value - alarms / others.length, gap, 0),
  });
}

/** Baseline by distance alone. */
function nearnessAuc(parts: readonly PrivatePart[], made: Made, columns: MeasuredColumns): Auc | undefined {
  const [members, others]: [number[], number[]] = [[], []];
  for (const part of parts) {
    if (!part.holdout || !part.peers || part.made[made].rows === 0 || widthOf(columns) === 0) continue;
    for (const [table, out] of [
      [part.peers, members],
      [part.holdout, others],
    ] as const) {
      const neighbours = neighboursOf(table, part.made[made], columns);
      // Rows are in file order.
      const step = Math.max(1, table.rows / YARDSTICK_ROWS);
      for (let row = 0; row < table.rows; row += step) out.push(-neighbours.nearest(Math.floor(row)));
    }
  }
  return rocAuc(Float64Array.from(members), Float64Array.from(others));
}
