/**
 * choose: of more entities than are wanted, those whose tables of one and two columns, and of a column in one row and the next,
 * agree best with the real ones. Entities change places one by one, as long as that brings the counts nearer (combinatorial
 * optimisation of synthetic populations; Williamson, Birkin and Rees, 1998).
 */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAbove } from '../../../numerics/search.ts';
import type { EntityRows } from '../../metrics/entities/entityRows.ts';
import type { ModelColumn } from '../../models/model.ts';

/** Bins of a column, columns, and entries of all entities in all tables, at most: beyond, a random choice of the tables. */
const BINS = 10;
const MAX_COLUMNS = 24;
const MAX_ENTRIES = 24e6;
/** Entities that are tried in the place of another, for each that is wanted; and those between two yields. */
const TRIES = 60;
const CHUNK = 20_000;

interface ChooseTask {
  real: EntityRows;
  made: EntityRows;
  /** Columns that tables are made of. */
  names: readonly string[];
  /** Entities wanted; those of `made` are more. */
  count: number;
  /** 1 for entities of `made` that are taken only where there are too few others. */
  broken: Uint8Array;
  random: RandomStream;
  yieldToEventLoop(): Promise<void>;
}

/** Entities of `made`, ascending. */
export async function chooseEntities(task: ChooseTask): Promise<Int32Array> {
  const { real, made, count, broken, random } = task;
  const entities = made.starts.length - 1;
  const sound = Int32Array.from({ length: entities }, (_, entity) => entity).filter((entity) => broken[entity] === 0);
  if (sound.length <= count) return firstOf(sound, broken, count);
  const { tables, cells } = tablesOf(task, random.child('tables'));
  const target = new Float64Array(cells);
  const ofReal = entriesOf(real, tables, 'real');
  for (const cell of ofReal.cells) target[cell]! += count / (real.starts.length - 1);
  const { starts, cells: entries } = entriesOf(made, tables, 'made');
  const order = shuffledRows(sound.length, random.child('order')).map((at) => sound[at]!);
  const weight = target.map((own) => 1 / (own + 1));
  const off = target.map((own) => -own);
  const move = (entity: number, by: 1 | -1): number => {
    let change = 0;
    for (let i = starts[entity]!; i < starts[entity + 1]!; i++) {
      const cell = entries[i]!;
      change += (2 * by * off[cell]! + 1) * weight[cell]!;
      off[cell]! += by;
    }
    return change;
  };
  for (let i = 0; i < count; i++) move(order[i]!, 1);
  for (let tried = 0; tried < TRIES * count; tried++) {
    if (tried % CHUNK === 0) await task.yieldToEventLoop();
    const out = random.integer(count);
    const into = count + random.integer(order.length - count);
    const [a, b] = [order[out]!, order[into]!];
    if (move(a, -1) + move(b, 1) < 0) [order[out], order[into]] = [b, a];
    else {
      move(b, -1);
      move(a, 1);
    }
  }
  return order.slice(0, count).sort();
}

function firstOf(sound: Int32Array, broken: Uint8Array, count: number): Int32Array {
  const others = Int32Array.from(broken.keys()).filter((entity) => broken[entity] === 1);
  return Int32Array.from([...sound, ...others].slice(0, count)).sort();
}

/** A table of counts: of one column, of two, or of one in a row and in the next. */
interface CountTable {
  from: number;
  first: BinnedColumn;
  /** Null: `first` alone. */
  second: BinnedColumn | null;
  isNext: boolean;
}

interface BinnedColumn {
  real: Uint8Array;
  made: Uint8Array;
}

/** Bins a column can have: values, others, a missing cell, and a cell that the entity has had before. */
const KINDS = BINS + 3;
const MISSING_BIN = BINS + 1;
const HAD_BEFORE = BINS + 2;

function tablesOf({ real, made, names }: ChooseTask, random: RandomStream): { tables: CountTable[]; cells: number } {
  const cells = names.slice(0, MAX_COLUMNS).map((name) => {
    return { real: real.table.columns.get(name)!, made: made.table.columns.get(name)! };
  });
  const places = [lengthsOf, positionsOf].map((of) => binned(of(real), of(made)));
  const columns = [...cells.map((own) => binned(own.real, own.made)), ...places];
  const counts = cells.map((own) => binned(distinctIn(own.real, real.starts), distinctIn(own.made, made.starts)));
  const firsts = columns.slice(0, cells.length).map((own): BinnedColumn => {
    return { real: firstCells(own.real, real.starts), made: firstCells(own.made, made.starts) };
  });
  const alone = (first: BinnedColumn) => ({ first, second: null, isNext: false });
  const pairs: Omit<CountTable, 'from'>[] = [
    ...[...counts, ...firsts].map(alone),
    ...columns.flatMap((first, a) => [
      alone(first),
      { first, second: first, isNext: true },
      ...columns.slice(a + 1).map((second) => ({ first, second, isNext: false })),
    ]),
  ];
  const most = Math.max(columns.length, Math.floor(MAX_ENTRIES / Math.max(1, made.table.rows)));
  const kept = [...shuffledRows(pairs.length, random).slice(0, most).sort()];
  const tables = kept.map((pair, at) => ({ ...pairs[pair]!, from: at * KINDS * KINDS }));
  return { tables, cells: tables.length * KINDS * KINDS };
}

/** The rows of its entity, in every row. */
function lengthsOf({ table, starts }: EntityRows): ModelColumn {
  const values = new Float64Array(table.rows);
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    values.fill(starts[entity + 1]! - starts[entity]!, starts[entity], starts[entity + 1]);
  }
  return { kind: 'numeric', name: '', values };
}

/** The number of its row, in every row of an entity. */
function positionsOf({ table, starts }: EntityRows): ModelColumn {
  const values = new Float64Array(table.rows);
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    for (let row = starts[entity]!; row < starts[entity + 1]!; row++) values[row] = row - starts[entity]!;
  }
  return { kind: 'numeric', name: '', values };
}

/** How many different cells its entity has in the column, in every row. */
function distinctIn(column: ModelColumn, starts: Int32Array): ModelColumn {
  const cells: ArrayLike<unknown> = column.kind === 'category' ? column.codes : column.values;
  const values = new Float64Array(cells.length);
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    const seen = new Set<unknown>();
    for (let row = starts[entity]!; row < starts[entity + 1]!; row++) seen.add(cells[row]);
    values.fill(seen.size, starts[entity], starts[entity + 1]);
  }
  return { kind: 'numeric', name: column.name, values };
}

/** Each bin where the entity has it first. */
function firstCells(bins: Uint8Array, starts: Int32Array): Uint8Array {
  const out = new Uint8Array(bins.length).fill(HAD_BEFORE);
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    const seen = new Set<number>();
    for (let row = starts[entity]!; row < starts[entity + 1]!; row++) {
      if (!seen.has(bins[row]!)) out[row] = bins[row]!;
      seen.add(bins[row]!);
    }
  }
  return out;
}

function binned(real: ModelColumn, made: ModelColumn): BinnedColumn {
  if (real.kind === 'numeric' && made.kind === 'numeric') {
    const cuts = cutsOf(real.values);
    return { real: numberBins(real.values, cuts), made: numberBins(made.values, cuts) };
  }
  if (real.kind !== 'category' || made.kind !== 'category') throw new RangeError(`${real.name} cannot be binned`);
  const rows = new Int32Array(real.levels.length);
  for (const code of real.codes) if (code >= 0) rows[code]!++;
  const byRows = [...rows.keys()].sort((a, b) => rows[b]! - rows[a]! || a - b);
  const rank = new Map(byRows.map((code, at) => [real.levels[code]!, Math.min(at, BINS)]));
  const binsOf = ({ codes, levels }: typeof real): Uint8Array => {
    const ofLevel = levels.map((level) => rank.get(level) ?? BINS);
    return Uint8Array.from(codes, (code) => (code < 0 ? MISSING_BIN : ofLevel[code]!));
  };
  return { real: binsOf(real), made: binsOf(made) };
}

/** Quantiles, each once. */
function cutsOf(values: Float64Array): Float64Array {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const cuts = new Set<number>();
  for (let k = 1; k < BINS; k++) cuts.add(sorted[Math.floor((k * sorted.length) / BINS)] ?? 0);
  return Float64Array.from(cuts).sort();
}

const numberBins = (values: Float64Array, cuts: Float64Array): Uint8Array =>
  Uint8Array.from(values, (value) => (Number.isNaN(value) ? MISSING_BIN : firstAbove(cuts, value)));

/** By entity, the cells that its rows count in. */
function entriesOf({ table, starts }: EntityRows, tables: readonly CountTable[], side: 'real' | 'made') {
  const nexts = tables.filter(({ isNext }) => isNext).length;
  const entities = starts.length - 1;
  const cells = new Int32Array(table.rows * tables.length - entities * nexts);
  const from = new Int32Array(entities + 1);
  let at = 0;
  for (let entity = 0; entity < entities; entity++) {
    const end = starts[entity + 1]!;
    for (const { from: cell, first, second, isNext } of tables) {
      const [a, b] = [first[side], second?.[side]];
      for (let row = starts[entity]!; row < end - Number(isNext); row++) {
        cells[at++] = cell + KINDS * a[row]! + (b ? b[row + Number(isNext)]! : 0);
      }
    }
    from[entity + 1] = at;
  }
  return { starts: from, cells };
}
