import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable } from '../../models/model.ts';
import type { EntityRows } from '../../table/entityRows.ts';
import { jointCodes } from '../columns.ts';

const MIN_ROWS = 5;
const EQUAL = 0.8;
/** Random choices of cells, cells in each, candidates per key. */
const CHOICES = 14;
const CELLS = 7;
const MAX_CANDIDATES = 40;

/**
 * Flags entities that share over 80 % of cells with a real one over at least five rows. Locality-sensitive hashing
 * finds nine in ten at the limit.
 */
export function sequenceCopies(
  asked: EntityRows,
  real: EntityRows,
  names: readonly string[],
  random: RandomStream,
): Uint8Array {
  const [own, others] = codesOf(asked.table, real.table, names);
  const flags = new Uint8Array(asked.starts.length - 1);
  if (names.length === 0) return flags;
  const sizeOf = ({ starts }: EntityRows, entity: number): number => starts[entity + 1]! - starts[entity]!;
  for (let choice = 0; choice < CHOICES; choice++) {
    const stream = random.child(`choice ${choice}`);
    const places = Array.from({ length: CELLS }, () => ({
      row: stream.integer(MIN_ROWS),
      column: stream.integer(names.length),
    }));
    const keyOf = (cells: readonly Int32Array[], start: number): string =>
      places.map(({ row, column }) => cells[column]![start + row]).join(' ');
    const known = new Map<string, number[]>();
    for (let entity = 0; entity + 1 < real.starts.length; entity++) {
      if (sizeOf(real, entity) < MIN_ROWS) continue;
      const key = keyOf(others, real.starts[entity]!);
      const bucket = known.get(key);
      if (!bucket) known.set(key, [entity]);
      else if (bucket.length < MAX_CANDIDATES) bucket.push(entity);
    }
    for (let entity = 0; entity < flags.length; entity++) {
      if (flags[entity] === 1 || sizeOf(asked, entity) < MIN_ROWS) continue;
      for (const other of known.get(keyOf(own, asked.starts[entity]!)) ?? []) {
        const rows = Math.min(sizeOf(asked, entity), sizeOf(real, other));
        if (!areNear(own, asked.starts[entity]!, others, real.starts[other]!, rows)) continue;
        flags[entity] = 1;
        break;
      }
    }
  }
  return flags;
}

function areNear(
  own: readonly Int32Array[],
  from: number,
  others: readonly Int32Array[],
  other: number,
  rows: number,
): boolean {
  let equal = 0;
  own.forEach((cells, column) => {
    for (let row = 0; row < rows; row++) if (cells[from + row] === others[column]![other + row]) equal++;
  });
  return equal > EQUAL * rows * own.length;
}

function codesOf(a: ModelTable, b: ModelTable, names: readonly string[]): [Int32Array[], Int32Array[]] {
  const pairs = names.map((name) => {
    const [first, second] = [a.columns.get(name), b.columns.get(name)];
    if (first?.kind === 'category' && second?.kind === 'category') return jointCodes([first, second]).codes;
    if (first?.kind !== 'numeric' || second?.kind !== 'numeric')
      throw new RangeError(`cells of ${name} cannot be compared`);
    const known = new Map<number, number>();
    const code = (value: number): number => {
      const own = known.get(value) ?? known.size;
      known.set(value, own);
      return own;
    };
    return [Int32Array.from(first.values, code), Int32Array.from(second.values, code)];
  });
  return [pairs.map(([first]) => first!), pairs.map(([, second]) => second!)];
}
