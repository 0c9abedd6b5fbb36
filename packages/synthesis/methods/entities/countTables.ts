/** Count tables that compare entities: of one to three columns, of successive rows, and of distinct values. */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAbove } from '../../../numerics/search.ts';
import type { ModelColumn } from '../../models/model.ts';
import type { EntityRows } from '../../table/entityRows.ts';

const BINS = 10;
/** Finer, because last digits vary in frequency. */
const FINE_BINS = 100;
const MAX_COLUMNS = 24;
/** Further tables are left out at random. */
const MAX_ENTRIES = 170e6;
/** Weight of all single-column tables; other groups have 1. */
const OF_SINGLE_COLUMNS = 4;

export interface CountTables {
  tables: readonly CountTable[];
  cells: number;
}

interface CountTable {
  from: number;
  columns: readonly BinnedColumn[];
  isNext: boolean;
  weight: number;
}
type Kind = Omit<CountTable, 'from' | 'weight'>;

interface BinnedColumn {
  real: Uint8Array;
  made: Uint8Array;
  kinds: number;
}

/** Other values, missing cells, and cells the entity had before. */
const BESIDE = 3;
const missingBin = (bins: number): number => bins + 1;
const HAD_BEFORE = BINS + 2;

export function countTables(
  real: EntityRows,
  made: EntityRows,
  names: readonly string[],
  random: RandomStream,
): CountTables {
  const cells = names.slice(0, MAX_COLUMNS).map((name) => {
    return { real: real.table.columns.get(name)!, made: made.table.columns.get(name)! };
  });
  const places = [lengthsOf, positionsOf].map((of) => binned(of(real), of(made)));
  const own = cells.map((column) => binned(column.real, column.made));
  const columns = [...own, ...places];
  const kinds = cells.map((column) =>
    binned(distinctIn(column.real, real.starts), distinctIn(column.made, made.starts)),
  );
  const firsts = own.map((column): BinnedColumn => {
    return { ...column, real: firstCells(column.real, real.starts), made: firstCells(column.made, made.starts) };
  });
  const alone = (column: BinnedColumn): Kind => ({ columns: [column], isNext: false });
  const groups: [kinds: Kind[], weight: number][] = [
    [[...columns, ...cells.map((column) => binned(column.real, column.made, FINE_BINS))].map(alone), OF_SINGLE_COLUMNS],
    [[...kinds, ...firsts].map(alone), 1],
    [own.map((column) => ({ columns: [column, column], isNext: true })), 1],
    [pairsOf(columns), 1],
    [triplesOf(columns), 1],
  ];
  let left = Math.max(columns.length, Math.floor(MAX_ENTRIES / Math.max(1, made.table.rows)));
  const kept = groups.map(([group, weight], at) => {
    const some = shuffledRows(group.length, random.child(`group ${at}`))
      .slice(0, left)
      .sort();
    left -= some.length;
    return [...some].map((one) => ({ ...group[one]!, weight: (weight * columns.length) / some.length }));
  });
  let count = 0;
  const tables = kept.flat().map((kind): CountTable => {
    const from = count;
    count += cellsIn(kind);
    return { from, ...kind };
  });
  return { tables, cells: count };
}

const pairsOf = (columns: readonly BinnedColumn[]): Kind[] =>
  columns.flatMap((first, a) => columns.slice(a + 1).map((second) => ({ columns: [first, second], isNext: false })));

const triplesOf = (columns: readonly BinnedColumn[]): Kind[] =>
  columns.flatMap((first, a) =>
    pairsOf(columns.slice(a + 1)).map((pair) => ({ columns: [first, ...pair.columns], isNext: false })),
  );

const cellsIn = ({ columns }: Pick<Kind, 'columns'>): number => columns.reduce((cells, { kinds }) => cells * kinds, 1);

export function weightsOf({ tables, cells }: CountTables): Float32Array {
  const out = new Float32Array(cells);
  for (const { from, columns, weight } of tables) out.fill(weight, from, from + cellsIn({ columns }));
  return out;
}

function lengthsOf({ table, starts }: EntityRows): ModelColumn {
  const values = new Float64Array(table.rows);
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    values.fill(starts[entity + 1]! - starts[entity]!, starts[entity], starts[entity + 1]);
  }
  return { kind: 'numeric', name: '', values };
}

function positionsOf({ table, starts }: EntityRows): ModelColumn {
  const values = new Float64Array(table.rows);
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    for (let row = starts[entity]!; row < starts[entity + 1]!; row++) values[row] = row - starts[entity]!;
  }
  return { kind: 'numeric', name: '', values };
}

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

/** Keeps each bin's first row in an entity. */
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

function binned(real: ModelColumn, made: ModelColumn, bins = BINS): BinnedColumn {
  const kinds = bins + BESIDE;
  if (real.kind === 'numeric' && made.kind === 'numeric') {
    const cuts = cutsOf(real.values, bins);
    return { real: numberBins(real.values, cuts, bins), made: numberBins(made.values, cuts, bins), kinds };
  }
  if (real.kind !== 'category' || made.kind !== 'category') throw new RangeError(`${real.name} cannot be binned`);
  const rows = new Int32Array(real.levels.length);
  for (const code of real.codes) if (code >= 0) rows[code]!++;
  const byRows = [...rows.keys()].sort((a, b) => rows[b]! - rows[a]! || a - b);
  const rank = new Map(byRows.map((code, at) => [real.levels[code]!, Math.min(at, bins)]));
  const binsOf = ({ codes, levels }: typeof real): Uint8Array => {
    const ofLevel = levels.map((level) => rank.get(level) ?? bins);
    return Uint8Array.from(codes, (code) => (code < 0 ? missingBin(bins) : ofLevel[code]!));
  };
  return { real: binsOf(real), made: binsOf(made), kinds };
}

function cutsOf(values: Float64Array, bins: number): Float64Array {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const cuts = new Set<number>();
  for (let k = 1; k < bins; k++) cuts.add(sorted[Math.floor((k * sorted.length) / bins)] ?? 0);
  return Float64Array.from(cuts).sort();
}

const numberBins = (values: Float64Array, cuts: Float64Array, bins: number): Uint8Array =>
  Uint8Array.from(values, (value) => (Number.isNaN(value) ? missingBin(bins) : firstAbove(cuts, value)));

/** Cells to which an entity's rows add, table by table. */
export interface Entries {
  starts: Int32Array;
  cells: Uint16Array;
  /** First cells, and 1 for tables that skip last rows. */
  from: Int32Array;
  fewer: Uint8Array;
}

export function entriesOf({ table, starts }: EntityRows, { tables }: CountTables, side: 'real' | 'made'): Entries {
  const nexts = tables.filter(({ isNext }) => isNext).length;
  const entities = starts.length - 1;
  const cells = new Uint16Array(table.rows * tables.length - entities * nexts);
  const ends = new Int32Array(entities + 1);
  let at = 0;
  for (let entity = 0; entity < entities; entity++) {
    const end = starts[entity + 1]!;
    for (const { columns, isNext } of tables) {
      const [a, b, c] = columns.map((own) => own[side]);
      const [, ofSecond = 1, ofThird = 1] = columns.map(({ kinds }) => kinds);
      for (let row = starts[entity]!; row < end - Number(isNext); row++) {
        let own = a![row]!;
        if (b) own = own * ofSecond + b[row + Number(isNext)]!;
        if (c) own = own * ofThird + c[row]!;
        cells[at++] = own;
      }
    }
    ends[entity + 1] = at;
  }
  const from = Int32Array.from(tables, (own) => own.from);
  return { starts: ends, cells, from, fewer: Uint8Array.from(tables, ({ isNext }) => Number(isNext)) };
}
