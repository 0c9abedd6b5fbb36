/**
 * Singling out (Giomi et al., 2023): cells of a synthetic row that are unique among synthetic rows succeed if they
 * match exactly one real person. The excess is over held-out rows.
 */
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps, type Steps } from '../../../numerics/steps.ts';
import { takeRows } from '../../table/takeRows.ts';
import type { MeasuredColumns } from '../columns.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { addCounts, type Count } from '../measured.ts';
import { NO_HOLDOUT, type PrivatePart, sampleRows } from '../parts.ts';
import { excessOfShares } from './excess.ts';
import { type Predicate, predicatesOf } from './predicates.ts';

const GUESSES = 5_000;

/** Guesses per yield, a few ms for 10,000 persons. */
const AT_ONCE = 50;

export const singlingOutExcess: Measure<Pick<PrivacyMetrics, 'singling_out_excess'>, AttackTask> = async (task) => {
  const { columns } = task.measured;
  const parts = task.ranked;
  const random = task.random.child('singling out excess');
  const found: Attacked[] = [];
  for (const [at, part] of parts.entries()) {
    const steps = attack(part, columns, random.child(`part ${at}`));
    found.push(...(await inSteps(steps, async () => task.yieldToEventLoop?.())));
  }
  const of = (side: 'train' | 'holdout'): Count => addCounts(found.map((counts) => counts[side]));
  const reason = parts.some(({ holdout }) => holdout) ? 'no synthetic row is unlike all others' : NO_HOLDOUT;
  const figure = excessOfShares(of('train'), of('holdout'), reason);
  await task.onProgress({ stage: 'measure', fact: 'singling_out_tested', attacks: of('train').of });
  return { singling_out_excess: figure };
};

type Attacked = Record<'train' | 'holdout', Count>;

function* attack(part: PrivatePart, columns: MeasuredColumns, random: RandomStream): Steps<Attacked[]> {
  const { holdout, peers, made } = part;
  if (!holdout || !peers || made.synthetic.rows === 0) return [];
  const asked = takeRows(made.synthetic, sampleRows(made.synthetic.rows, GUESSES, random.child('rows')));
  const [others, ...sides] = [asked, peers, holdout].map((table) => predicatesOf(asked, [table], columns));
  const hits = sides.map(() => 0);
  let guesses = 0;
  for (let row = 0; row < asked.rows; row++) {
    if (row % AT_ONCE === 0) yield;
    const guess = guessOf(others!, row, random);
    if (!guess) continue;
    guesses++;
    for (const [at, side] of sides.entries()) if (fitting(side, guess, row).length === 1) hits[at]!++;
  }
  return [{ train: { hits: hits[0]!, of: guesses }, holdout: { hits: hits[1]!, of: guesses } }];
}

/** Undefined if the row is not unique. */
function guessOf(others: readonly Predicate[], row: number, random: RandomStream): number[] | undefined {
  const left = Array.from(others, (_, column) => column);
  const taken: number[] = [];
  let persons: Int32Array | undefined;
  while (left.length > 0) {
    const [column] = left.splice(random.integer(left.length), 1);
    taken.push(column!);
    persons = persons ? others[column!]!.among(row, persons) : others[column!]!.all(row);
    if (persons.length < 2) return taken;
  }
  return undefined;
}

function fitting(predicates: readonly Predicate[], columns: readonly number[], row: number): Int32Array {
  const [first, ...rest] = columns.map((column) => predicates[column]!);
  return rest.reduce((persons, predicate) => predicate.among(row, persons), first!.all(row));
}
