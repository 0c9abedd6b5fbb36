/**
 * Share of synthetic rows that equal a training row in all columns but at most one, compared with held-out rows;
 * distances over all columns miss such copies. The share never ignores a column that distinguishes training rows, but
 * the verdict tests each column.
 */
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import { normalQuantile } from '../../../numerics/special/normal.ts';
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed } from '../columns.ts';
import { shareDifference, VERDICT_LEVEL } from '../intervals.ts';
import type { Measure } from '../measure.ts';
import { addCounts, type Count, shareFigure } from '../measured.ts';
import { widthOf } from '../nearestNeighbours.ts';
import { MADE, type Made, NO_COLUMN, type Part } from '../parts.ts';

/** Minimum columns for the rest to identify anybody. */
const MIN_COLUMNS = 3;

export const copiesButOne: Measure<Pick<PrivacyMetrics, 'copies_but_one'>> = async (task) => {
  const { parts, released, columns } = task.measured;
  const isTried = widthOf(columns) >= MIN_COLUMNS;
  const none: Count = { hits: 0, of: 0 };
  const [own, ...others] = isTried ? [countsOf(released, columns), ...heldOut(parts, released, columns)] : [];
  const of = (name: Made): Count => own?.[name] ?? none;
  const held = [own, ...others].flatMap((counts) => counts?.holdout ?? []);
  const figure = shareFigure({
    synthetic: of('synthetic'),
    independent: of('independent'),
    swapped: of('swapped'),
    holdout: held.length > 0 ? addCounts(held) : null,
    reason: `there are fewer than ${MIN_COLUMNS} columns, or ${NO_COLUMN}`,
  });
  await task.onProgress({ stage: 'measure', fact: 'records_compared', rows: figure.rows });
  const isWorse = own && isWorseWithoutOne(own, others);
  return { copies_but_one: isWorse ? { ...figure, verdict: 'worse' } : figure };
};

interface Counts extends Record<Made, Count> {
  holdout: Count | null;
  /** Matches by ignored column. */
  without: { synthetic: readonly number[]; holdout: readonly number[] };
}

function isWorseWithoutOne(own: Counts, folds: readonly Counts[]): boolean {
  const held = [own, ...folds].filter(({ holdout }) => holdout !== null);
  const asked = addCounts(held.flatMap(({ holdout }) => holdout ?? [])).of;
  if (asked === 0 || own.synthetic.of === 0) return false;
  const z = normalQuantile(1 - VERDICT_LEVEL / own.without.synthetic.length);
  return own.without.synthetic.some((hits, column) => {
    const chance = held.reduce((sum, { without }) => sum + without.holdout[column]!, 0);
    return shareDifference(hits, own.synthetic.of, chance, asked, z)[0] > 0;
  });
}

const heldOut = (parts: readonly Part[], released: Part, columns: MeasuredColumns): Counts[] =>
  parts.filter((part) => part !== released).map((part) => countsOf(part, columns));

function countsOf(part: Part, columns: MeasuredColumns): Counts {
  const held = part.holdout ? [part.holdout] : [];
  const [train, ...queried] = hashRows([part.train, ...MADE.map((name) => part[name]), ...held], columns);
  const { found, without } = nearlyIn(train!, queried, widthOf(columns));
  const count = (at: number): Count => ({ hits: found[at]!.reduce((sum, is) => sum + is, 0), of: found[at]!.length });
  return {
    synthetic: count(0),
    independent: count(1),
    swapped: count(2),
    holdout: part.holdout ? count(3) : null,
    without: { synthetic: without[0]!, holdout: without[3] ?? [] },
  };
}

/** Maximum share of training rows with twins. */
const MAX_TWIN_SHARE = 1 / 500;

interface Nearly {
  /** Near copies, without columns that make many rows alike. */
  found: Uint8Array[];
  without: number[][];
}

function nearlyIn(train: Hashes, queried: readonly Hashes[], width: number): Nearly {
  const found = queried.map(({ rows }) => new Uint8Array(rows));
  const without = queried.map(() => new Array<number>(width).fill(0));
  let twins = 0;
  const columns = Array.from({ length: width }, (_, column) => ({ column, twins: twinsWithout(train, column) }));
  for (const { column, twins: own } of columns.sort((a, b) => a.twins - b.twins || a.column - b.column)) {
    twins += own;
    const isFew = twins <= MAX_TWIN_SHARE * train.rows;
    const known = new Set<number>();
    for (let row = 0; row < train.rows; row++) known.add(hashWithout(train, row, column));
    for (const [at, table] of queried.entries()) {
      for (let row = 0; row < table.rows; row++) {
        if (!known.has(hashWithout(table, row, column))) continue;
        without[at]![column]!++;
        if (isFew) found[at]![row] = 1;
      }
    }
  }
  return { found, without };
}

/** Rows that equal an earlier one without this column. */
function twinsWithout(train: Hashes, column: number): number {
  const known = new Set<number>();
  for (let row = 0; row < train.rows; row++) known.add(hashWithout(train, row, column));
  return train.rows - known.size;
}

// Sums of cell hashes modulo 2^26 in two lanes (52 bits), so removing a column is a subtraction.

interface Hashes {
  rows: number;
  /** By column and row; two lanes. */
  cells: readonly (readonly [Int32Array, Int32Array])[];
  sums: readonly [Int32Array, Int32Array];
}

const LANE = 2 ** 26 - 1;

const hashWithout = ({ cells, sums }: Hashes, row: number, column: number): number => {
  const [high, low] = cells[column]!;
  return ((sums[0][row]! - high[row]!) & LANE) * 2 ** 26 + ((sums[1][row]! - low[row]!) & LANE);
};

function hashRows(tables: readonly ModelTable[], columns: MeasuredColumns): Hashes[] {
  const names = [...columns.numeric, ...columns.categorical];
  const levels = new Map(
    columns.categorical.map((name) => [name, jointCodes(tables.map((table) => categoryNamed(table, name))).codes]),
  );
  return tables.map(({ rows }, at) => {
    const sums = [new Int32Array(rows), new Int32Array(rows)] as const;
    const cells = names.map((name, j): readonly [Int32Array, Int32Array] => {
      const values = levels.get(name)?.[at] ?? numericNamed(tables[at]!, name).values;
      const lanes = [new Int32Array(rows), new Int32Array(rows)] as const;
      for (let row = 0; row < rows; row++) {
        for (const lane of [0, 1] as const) {
          const hash = hashCell(values[row]!, 2 * j + lane);
          lanes[lane][row] = hash;
          sums[lane][row] = (sums[lane][row]! + hash) & LANE;
        }
      }
      return lanes;
    });
    return { rows, cells, sums };
  });
}

const number = new Float64Array(1);
const words = new Int32Array(number.buffer);

/** MurmurHash3's finaliser; -0 equals 0, and missing cells are equal. */
function hashCell(value: number, seed: number): number {
  number[0] = Number.isFinite(value) ? value + 0 : Number.NaN;
  return mix(mix(words[0]! ^ Math.imul(seed + 1, 0x9e3779b9)) ^ words[1]!) & LANE;
}

function mix(x: number): number {
  let h = x;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
