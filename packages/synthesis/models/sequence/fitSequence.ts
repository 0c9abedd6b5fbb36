/** Fits the model of sequences: rows of real entities, each with what came before it, as the rows that are drawn will have it. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { drawThreshold } from '../categorical/features.ts';
import type { ModelTable, OnProgress } from '../model.ts';
import { fitLevelClasses, fitNumberClasses } from './cellClasses.ts';
import { type CategoryModel, fitConditional, type NumericModel } from './columnModel.ts';
import { type Asked, kindsOfAspect, recordPast, type SequenceFeature } from './features.ts';
import { ColumnHistory, type ColumnKind, OWN_ASPECTS } from './history.ts';
import {
  type Column,
  cellsOf,
  type FittedSequence,
  fitted,
  ofEntities,
  type SequenceColumn,
  type SequenceModel,
} from './sequenceModel.ts';

export interface SequenceTask {
  /** Rows of one entity follow one another in their order. */
  table: ModelTable;
  starts: Int32Array;
  /** A row an entity. */
  constants: ModelTable;
  /** In the order in which they are drawn. */
  columns: readonly SequenceColumn[];
  keepRare: boolean;
  random: RandomStream;
  onProgress: OnProgress;
  yieldToEventLoop(): Promise<void>;
}

/** Rows that models are fitted to, at most. */
const MAX_ROWS = 150_000;
const MAX_CONSTANTS = 24;
const MAX_OTHERS = 40;

export async function fitSequence(task: SequenceTask): Promise<FittedSequence> {
  const { starts, columns } = task;
  const entityOf = entitiesOf(starts);
  const placeOf = placesOf(entityOf.length, task.random.child('rows'));
  const seen = Int32Array.from(placeOf.keys()).filter((row) => placeOf[row]! >= 0);
  const cells = new Map(columns.map(({ name }) => [name, cellsOf(task.table, name)]));
  const kindOf = new Map(columns.map(({ name }) => [name, kindIn(task.table, name)]));
  const plans = planFeatures(task, kindOf);
  const history = columns.map(({ name }) => ({
    ...{ name, cells: cells.get(name)!, history: new ColumnHistory(kindOf.get(name)!, starts.length - 1) },
  }));
  const asked: Asked = {
    entities: seen.map((row) => entityOf[row]!),
    position: Float64Array.from(seen, (row) => row - starts[entityOf[row]!]!),
    left: Float64Array.from(seen, (row) => starts[entityOf[row]! + 1]! - 1 - row),
    row: new Map([...cells].map(([name, own]) => [name, Float64Array.from(seen, (row) => own[row]!)])),
    past: recordPast(
      history,
      plans.flatMap(({ features }) => features),
      { entityOf, placeOf, rows: seen.length },
    ),
    constants: task.constants,
  };
  const fit = { task, entityOf, seen, asked, cells };
  const made: Column[] = [];
  for (const [at, column] of columns.entries()) {
    made.push(await fitColumn(fit, column, plans[at]!.features));
    await task.onProgress({ stage: 'fit', fact: 'sequence_columns_fitted', done: at + 1, total: columns.length });
  }
  return fitted({ lengths: await fitLengths(fit), columns: made });
}

interface Fit {
  task: SequenceTask;
  entityOf: Int32Array;
  /** Rows that are seen. */
  seen: Int32Array;
  asked: Asked;
  cells: ReadonlyMap<string, Float64Array>;
}

function entitiesOf(starts: Int32Array): Int32Array {
  const out = new Int32Array(starts.at(-1)!);
  for (let entity = 0; entity + 1 < starts.length; entity++) out.fill(entity, starts[entity], starts[entity + 1]);
  return out;
}

/** Which of the rows that are seen each row is; -1 for the others. */
function placesOf(rows: number, random: RandomStream): Int32Array {
  const share = Math.min(1, MAX_ROWS / rows);
  let next = 0;
  return new Int32Array(rows).map(() => (share === 1 || random.uniform() < share ? next++ : -1));
}

function kindIn(table: ModelTable, name: string): ColumnKind {
  return table.columns.get(name)?.kind === 'numeric' ? 'numeric' : 'category';
}

const kindsIn = (table: ModelTable, name: string): number => {
  const column = table.columns.get(name);
  return column?.kind === 'category' ? column.levels.length + 1 : 0;
};

function constantFeatures(constants: ModelTable): SequenceFeature[] {
  return [...constants.columns.values()]
    .filter(({ kind }) => kind !== 'text')
    .slice(0, MAX_CONSTANTS)
    .map((column) => ({
      ...{ from: 'constant' as const, name: column.name },
      levels: column.kind === 'category' ? [...column.levels] : null,
    }));
}

function planFeatures(task: SequenceTask, kindOf: ReadonlyMap<string, ColumnKind>): { features: SequenceFeature[] }[] {
  const { columns, table } = task;
  const constants = constantFeatures(task.constants);
  const past = (name: string, aspect: (typeof OWN_ASPECTS)['numeric'][number]): SequenceFeature => ({
    ...{ from: 'past', name, aspect, kinds: kindsOfAspect(kindOf.get(name)!, aspect, kindsIn(table, name)) },
  });
  return columns.map(({ name }, at) => {
    const row = columns
      .slice(0, at)
      .slice(-MAX_OTHERS)
      .flatMap((other): SequenceFeature[] => [
        { from: 'row', name: other.name, kinds: kindsIn(table, other.name) },
        ...(other.isChange ? [{ from: 'change' as const, name: other.name }] : []),
      ]);
    const others = columns.filter((other) => other.name !== name).slice(0, MAX_OTHERS);
    return {
      features: [
        ...constants,
        { from: 'position' },
        { from: 'left' },
        ...OWN_ASPECTS[kindOf.get(name)!].map((aspect) => past(name, aspect)),
        ...others.map((other) => past(other.name, 'last')),
        ...row,
      ],
    };
  });
}

async function fitColumn(fit: Fit, column: SequenceColumn, features: SequenceFeature[]): Promise<Column> {
  const { task } = fit;
  const { name, indicator, parts } = column;
  const own = task.table.columns.get(name)!;
  const isCategory = own.kind === 'category';
  const random = task.random.child('column').child(name);
  return {
    ...{ name, indicator, kind: isCategory ? 'category' : 'numeric', levels: isCategory ? [...own.levels] : [] },
    ...{
      isIndicator: isCategory && own.indicator === true,
      parts: parts && [...parts],
      decimals: decimalsOf(fit, column),
    },
    model: isCategory
      ? await fitLevels(fit, column, features, random)
      : await fitNumbers(fit, column, features, random),
  };
}

/** Decimals that sums are rounded to. */
function decimalsOf({ cells }: Fit, { name, parts }: SequenceColumn): number | null {
  if (!parts) return null;
  for (let decimals = 0; decimals < 9; decimals++) {
    const scale = 10 ** decimals;
    if (cells.get(name)!.every((value) => Math.abs(value * scale - Math.round(value * scale)) < 1e-6)) return decimals;
  }
  return null;
}

/** Share of the rows that repeat the cell before them, from which on they are drawn as such. */
const OFTEN = 0.05;

const conditional = (
  fit: Fit,
  features: readonly SequenceFeature[],
  classes: Int32Array,
  kinds: number,
  isOrdered: boolean,
  random: RandomStream,
) =>
  fitConditional({
    ...{ features, asked: fit.asked, classes, kinds, isOrdered, random },
    yieldToEventLoop: fit.task.yieldToEventLoop,
  });

async function fitLevels(
  fit: Fit,
  { name, follows }: SequenceColumn,
  features: SequenceFeature[],
  random: RandomStream,
): Promise<CategoryModel> {
  const { task, entityOf, seen, asked } = fit;
  const own = task.table.columns.get(name)!;
  if (own.kind !== 'category') throw new RangeError(`no categorical column ${JSON.stringify(name)}`);
  const k = task.keepRare || own.indicator ? 0 : drawThreshold(random.child('rare levels'));
  const classes = fitLevelClasses(own, entityOf, k);
  const last = asked.past(name, 'last');
  const cells = asked.row.get(name)!;
  const repeats = classes.classes > 3 && shareEqual(cells, last) >= OFTEN;
  const classOf = Int32Array.from(seen, (_, i) =>
    repeats && cells[i] === last[i] ? classes.classes : classes.classOf[cells[i]!]!,
  );
  const model = await conditional(fit, features, classOf, classes.classes + Number(repeats), false, random);
  return {
    kind: 'category',
    name,
    classes,
    repeats,
    model,
    follows: follows && savedFollows(follows, own.levels.length),
  };
}

/** With class 0, a missing cell, which may follow anything and be followed by anything. */
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

async function fitNumbers(
  fit: Fit,
  column: SequenceColumn,
  features: SequenceFeature[],
  random: RandomStream,
): Promise<NumericModel> {
  const { task, entityOf, seen, asked, cells: all } = fit;
  const { name, days, parts } = column;
  const k = drawThreshold(random.child('rare numbers'));
  const cells = all.get(name)!;
  const level = fitNumberClasses(cells, entityOf, k, task.keepRare);
  const [low, high] = [level.classes.margin.values[0]!, level.classes.margin.values.at(-1)!];
  const common = { kind: 'numeric' as const, name, low, high, days };
  const last = asked.past(name, 'last');
  const rowCells = asked.row.get(name)!;
  if (parts) {
    const opening = cells.map((value, row) =>
      row === task.starts[entityOf[row]!]
        ? value - parts.reduce((sum, part) => sum + part.sign * all.get(part.name)![row]!, 0)
        : Number.NaN,
    );
    const own = fitNumberClasses(opening, entityOf, k, task.keepRare);
    const bins = Int32Array.from(seen, (row) => own.binOf[row]!);
    const model = await conditional(fit, features, bins, own.classes.from.length, true, random);
    return {
      ...common,
      start: { classes: own.classes, model },
      next: null,
      repeats: false,
      low: -Number.MAX_VALUE,
      high: Number.MAX_VALUE,
    };
  }
  const levelBins = Int32Array.from(seen, (row) => level.binOf[row]!);
  const kinds = level.classes.from.length;
  if (!column.isChange && !isNear(rowCells, last)) {
    const repeats = kinds > 3 && shareEqual(rowCells, last) >= OFTEN;
    const bins = repeats ? levelBins.map((bin, i) => (bin >= 0 && rowCells[i] === last[i] ? kinds : bin)) : levelBins;
    const model = await conditional(fit, features, bins, kinds + Number(repeats), true, random);
    return { ...common, start: { classes: level.classes, model }, next: null, repeats };
  }
  const changes = changesOf(cells, entityOf);
  const change = fitNumberClasses(changes, entityOf, k, task.keepRare);
  const startBins = levelBins.map((bin, i) => (Number.isNaN(last[i]!) ? bin : -1));
  const nextBins = Int32Array.from(seen, (row) => change.binOf[row]!);
  return {
    ...common,
    start: {
      classes: level.classes,
      model: await conditional(fit, features, startBins, kinds, true, random.child('start')),
    },
    next: {
      classes: change.classes,
      model: await conditional(fit, features, nextBins, change.classes.from.length, true, random.child('next')),
    },
    repeats: false,
  };
}

/** Spread of the changes, as a share of the numbers', below which they say more than the numbers; of more numbers than these. */
const NEAR = 0.35;
const MIN_NUMBERS = 30;

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

/** From the last number of the entity, without the noise of doubles; NaN where there is none. */
function changesOf(cells: Float64Array, entityOf: Int32Array): Float64Array {
  let last = Number.NaN;
  return cells.map((cell, row) => {
    if (row > 0 && entityOf[row] !== entityOf[row - 1]) last = Number.NaN;
    const change = Number((cell - last).toPrecision(12));
    if (!Number.isNaN(cell)) last = cell;
    return change;
  });
}

async function fitLengths(fit: Fit): Promise<SequenceModel['lengths']> {
  const { task } = fit;
  const entities = task.starts.length - 1;
  const lengths = Float64Array.from({ length: entities }, (_, e) => task.starts[e + 1]! - task.starts[e]!);
  const random = task.random.child('lengths');
  const own = Int32Array.from({ length: entities }, (_, e) => e);
  const { classes, binOf } = fitNumberClasses(lengths, own, drawThreshold(random.child('rare numbers')), task.keepRare);
  const none = new Float64Array(entities).fill(Number.NaN);
  const asked: Asked = { ...ofEntities(task.constants), past: () => none };
  const features = constantFeatures(task.constants);
  const model = await fitConditional({
    ...{ features, asked, classes: binOf, kinds: classes.from.length, isOrdered: true, random },
    yieldToEventLoop: task.yieldToEventLoop,
  });
  const range = { low: -Number.MAX_VALUE, high: Number.MAX_VALUE, days: null, repeats: false, next: null };
  return { classes, model: { kind: 'numeric', name: '', ...range, start: { classes, model } } };
}
