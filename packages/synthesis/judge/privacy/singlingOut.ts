/**
 * Singling out (after Giomi et al., 2023): takes cells of a synthetic row at random until at most one real person
 * matches. Reports the share of training rows among persons found, weighted to equal sides; 0.5 is ideal.
 */
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps, type Steps } from '../../../numerics/steps.ts';
import type { MeasuredColumns } from '../columns.ts';
import { type Interval, wilson } from '../intervals.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { judgeLeak, toMeasured } from '../measured.ts';
import { type Made, NO_HOLDOUT, type PrivatePart } from '../parts.ts';
import { type Predicate, predicatesOf } from './predicates.ts';

const GUESSES = 1_000;
/** Guesses per yield, a few ms for 50,000 persons. */
const AT_ONCE = 50;
const IDEAL = 0.5;

interface Found {
  train: number;
  holdout: number;
  /** Share of training rows among real ones. */
  share: number;
  guesses: number;
}

export const singlingOut: Measure<Pick<PrivacyMetrics, 'singling_out'>, AttackTask> = async (task) => {
  const { columns } = task.measured;
  const parts = task.ranked;
  const random = task.random.child('singling out');
  const of = (made: Made) =>
    inSteps(weighted(parts, made, columns, random.child(made)), async () => task.yieldToEventLoop?.());
  const own = await of('synthetic');
  const reason = parts.some(({ holdout }) => holdout) ? 'no synthetic row singles out a real row' : NO_HOLDOUT;
  const figure = toMeasured({
    value: own.value,
    interval: own.interval,
    rows: own.guesses,
    reason,
    ideal: IDEAL,
    independent: (await of('independent')).value,
    swapped: (await of('swapped')).value,
    verdict: judgeLeak(own.value, own.interval, IDEAL),
  });
  await task.onProgress({ stage: 'measure', fact: 'singling_out_tested', attacks: figure.rows });
  return { singling_out: figure };
};

function* weighted(
  parts: readonly PrivatePart[],
  made: Made,
  columns: MeasuredColumns,
  random: RandomStream,
): Steps<{ value: number | undefined; interval: Interval | undefined; guesses: number }> {
  const found: Found[] = [];
  for (const [at, part] of parts.entries())
    found.push(...(yield* attack(part, made, columns, random.child(`part ${at}`))));
  const train = found.reduce((sum, part) => sum + part.train, 0);
  const hits = found.reduce((sum, part) => sum + part.train + part.holdout, 0);
  const guesses = found.reduce((sum, part) => sum + part.guesses, 0);
  if (hits === 0) return { value: undefined, interval: undefined, guesses };
  const share = found.reduce((sum, part) => sum + part.share / found.length, 0);
  const even = (p: number): number => p / share / (p / share + (1 - p) / (1 - share));
  const [low, high] = wilson(train, hits);
  const interval: Interval = [even(low), even(high)];
  return { value: even(train / hits), interval, guesses };
}

function* attack(part: PrivatePart, made: Made, columns: MeasuredColumns, random: RandomStream): Steps<Found[]> {
  const { train, holdout } = part;
  const table = part.queried[made];
  if (!holdout || holdout.rows === 0 || train.rows === 0) return [];
  const tests = predicatesOf(table, [train, holdout], columns);
  const persons = new Set<number>();
  const guesses = Math.min(GUESSES, table.rows);
  for (let row = 0; row < guesses; row++) {
    if (row % AT_ONCE === 0) yield;
    const person = singleOut(tests, row, random);
    if (person !== undefined) persons.add(person);
  }
  const ofTrain = [...persons].filter((person) => person < train.rows).length;
  const share = train.rows / (train.rows + holdout.rows);
  return [{ train: ofTrain, holdout: persons.size - ofTrain, share, guesses }];
}

/** Undefined if none or several match. */
function singleOut(tests: readonly Predicate[], row: number, random: RandomStream): number | undefined {
  const left = [...tests];
  let fitting: Int32Array | undefined;
  while (left.length > 0) {
    const [test] = left.splice(random.integer(left.length), 1);
    fitting = fitting ? test!.among(row, fitting) : test!.all(row);
    if (fitting.length < 2) return fitting[0];
  }
  return undefined;
}
