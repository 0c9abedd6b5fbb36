/** Prepares the classes of a column for boosting. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { drawThreshold } from '../../disclosure/thresholds.ts';
import type { ModelTable } from '../model.ts';
import { fitLevelClasses, fitNumberClasses } from './cellClasses.ts';
import type { CategoryModel, NumericModel } from './columnModel.ts';
import type { Conditional, ConditionalTask } from './conditional.ts';
import type { Asked, SequenceFeature } from './features.ts';
import type { Column, SequenceColumn } from './sequenceModel.ts';

export interface SeenRows {
  table: ModelTable;
  starts: Int32Array;
  entityOf: Int32Array;
  seen: Int32Array;
  asked: Asked;
  cells: ReadonlyMap<string, Float64Array>;
  keepRare: boolean;
}

export interface Draft<Made> {
  tasks: ConditionalTask[];
  made(fits: readonly Conditional[]): Made;
}

export function draftColumn(
  rows: SeenRows,
  column: SequenceColumn,
  features: SequenceFeature[],
  random: RandomStream,
): Draft<Column> {
  const { name, indicator, parts } = column;
  const own = rows.table.columns.get(name)!;
  const isCategory = own.kind === 'category';
  const { tasks, made } = isCategory
    ? draftLevels(rows, column, features, random)
    : draftNumbers(rows, column, features, random);
  const common = {
    name,
    indicator,
    kind: isCategory ? ('category' as const) : ('numeric' as const),
    levels: isCategory ? [...own.levels] : [],
    isIndicator: isCategory && own.indicator === true,
    parts: parts && [...parts],
    decimals: decimalsOf(rows, column),
  };
  return { tasks, made: (fits) => ({ ...common, model: made(fits) }) };
}

function decimalsOf({ cells }: SeenRows, { name, parts }: SequenceColumn): number | null {
  if (!parts) return null;
  for (let decimals = 0; decimals < 9; decimals++) {
    const scale = 10 ** decimals;
    if (cells.get(name)!.every((value) => Math.abs(value * scale - Math.round(value * scale)) < 1e-6)) return decimals;
  }
  return null;
}

/** Minimum share of repeats to model them. */
const OFTEN = 0.05;

function draftLevels(
  { table, entityOf, seen, asked, keepRare }: SeenRows,
  { name, follows }: SequenceColumn,
  features: SequenceFeature[],
  random: RandomStream,
): Draft<CategoryModel> {
  const own = table.columns.get(name)!;
  if (own.kind !== 'category') throw new RangeError(`no categorical column ${JSON.stringify(name)}`);
  const k = keepRare || own.indicator ? 0 : drawThreshold(random.child('rare levels'));
  const classes = fitLevelClasses(own, entityOf, k);
  const last = asked.past(name, 'last');
  const cells = asked.row.get(name)!;
  const repeats = classes.classes > 3 && shareEqual(cells, last) >= OFTEN;
  const classOf = Int32Array.from(seen, (_, i) =>
    repeats && cells[i] === last[i] ? classes.classes : classes.classOf[cells[i]!]!,
  );
  const kinds = classes.classes + Number(repeats);
  return {
    tasks: [{ features, asked, classes: classOf, kinds, isOrdered: false, random }],
    made: ([model]) => ({
      kind: 'category',
      name,
      classes,
      repeats,
      model: model!,
      follows: follows && savedFollows(follows, own.levels.length),
    }),
  };
}

/** Missing cells may follow and precede anything. */
function savedFollows(follows: Uint8Array, levels: number): string {
  const out = new Uint8Array((levels + 1) ** 2).fill(1);
  for (let from = 0; from < levels; from++) {
    for (let to = 0; to < levels; to++) out[(from + 1) * (levels + 1) + to + 1] = follows[from * levels + to]!;
  }
  return Buffer.from(out).toString('base64');
}

function shareEqual(cells: Float64Array, last: Float64Array): number {
  let [equal, of] = [0, 0];
  cells.forEach((cell, i) => {
    if (Number.isNaN(cell) || Number.isNaN(last[i]!)) return;
    of++;
    if (cell === last[i]) equal++;
  });
  return of === 0 ? 0 : equal / of;
}

function draftNumbers(
  rows: SeenRows,
  column: SequenceColumn,
  features: SequenceFeature[],
  random: RandomStream,
): Draft<NumericModel> {
  const { entityOf, seen, asked, cells: all, keepRare } = rows;
  const { name, days, parts } = column;
  const k = drawThreshold(random.child('rare numbers'));
  const cells = all.get(name)!;
  const classesOf = (values: Float64Array) => fitNumberClasses(values, entityOf, k, keepRare);
  const binsOf = (binOf: Int32Array): Int32Array => Int32Array.from(seen, (row) => binOf[row]!);
  const ask = (classes: Int32Array, kinds: number, stream: RandomStream): ConditionalTask => ({
    features,
    asked,
    classes,
    kinds,
    isOrdered: true,
    random: stream,
  });
  const level = classesOf(cells);
  const [low, high] = [level.classes.margin.values[0]!, level.classes.margin.values.at(-1)!];
  const common = { kind: 'numeric' as const, name, low, high, days, next: null, repeats: false };
  if (parts) {
    const { classes, binOf } = classesOf(openingsOf(rows, cells, parts));
    return {
      tasks: [ask(binsOf(binOf), classes.from.length, random)],
      made: ([model]) => ({ ...common, ...UNBOUNDED, start: { classes, model: model! } }),
    };
  }
  const last = asked.past(name, 'last');
  const rowCells = asked.row.get(name)!;
  const levelBins = binsOf(level.binOf);
  const kinds = level.classes.from.length;
  const start = (model: Conditional | undefined) => ({ classes: level.classes, model: model! });
  if (!column.isChange && !isNear(rowCells, last)) {
    const repeats = kinds > 3 && shareEqual(rowCells, last) >= OFTEN;
    const bins = repeats ? levelBins.map((bin, i) => (bin >= 0 && rowCells[i] === last[i] ? kinds : bin)) : levelBins;
    return {
      tasks: [ask(bins, kinds + Number(repeats), random)],
      made: ([model]) => ({ ...common, start: start(model), repeats }),
    };
  }
  const change = classesOf(changesOf(cells, entityOf));
  const startBins = levelBins.map((bin, i) => (Number.isNaN(last[i]!) ? bin : -1));
  return {
    tasks: [
      ask(startBins, kinds, random.child('start')),
      ask(binsOf(change.binOf), change.classes.from.length, random.child('next')),
    ],
    made: ([first, next]) => ({ ...common, start: start(first), next: { classes: change.classes, model: next! } }),
  };
}

const UNBOUNDED = { low: -Number.MAX_VALUE, high: Number.MAX_VALUE };

/** Returns first rows minus their parts; NaN elsewhere. */
function openingsOf(
  { starts, entityOf, cells: all }: SeenRows,
  cells: Float64Array,
  parts: NonNullable<SequenceColumn['parts']>,
): Float64Array {
  return cells.map((value, row) =>
    row === starts[entityOf[row]!]
      ? value - parts.reduce((sum, part) => sum + part.sign * all.get(part.name)![row]!, 0)
      : Number.NaN,
  );
}

/** Below this ratio of spreads, successive numbers correlate by over 3/4. */
const NEAR = Math.SQRT1_2;
const MIN_NUMBERS = 20;

function isNear(cells: Float64Array, last: Float64Array): boolean {
  if (new Set(cells).size <= MIN_NUMBERS) return false;
  const changes = cells.map((cell, i) => cell - last[i]!);
  return spreadOf(changes) < NEAR * spreadOf(cells);
}

function spreadOf(values: Float64Array): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  return sorted.length < 10
    ? Number.NaN
    : sorted[Math.floor(0.9 * sorted.length)]! - sorted[Math.floor(0.1 * sorted.length)]!;
}

/** Removes the noise of doubles; NaN without an earlier number. */
function changesOf(cells: Float64Array, entityOf: Int32Array): Float64Array {
  let last = Number.NaN;
  return cells.map((cell, row) => {
    if (row > 0 && entityOf[row] !== entityOf[row - 1]) last = Number.NaN;
    const change = Number((cell - last).toPrecision(12));
    if (!Number.isNaN(cell)) last = cell;
    return change;
  });
}
