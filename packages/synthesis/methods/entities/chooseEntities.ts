/**
 * Selects the entities whose count tables best match the real ones by single swaps (combinatorial optimisation of
 * synthetic populations; Williamson, Birkin and Rees, 1998).
 */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { EntityRows } from '../../table/entityRows.ts';
import { type CountTables, countTables, type Entries, entriesOf, weightsOf } from './countTables.ts';

/** Swaps per wanted entity, and between yields. */
const TRIES = 120;
const CHUNK = 20_000;

interface ChooseTask {
  real: EntityRows;
  made: EntityRows;
  names: readonly string[];
  count: number;
  /** Flags entities to use only if others run out. */
  broken: Uint8Array;
  random: RandomStream;
  yieldToEventLoop(): Promise<void>;
}

/** Returns entities of `made`, ascending. */
export async function chooseEntities(task: ChooseTask): Promise<Int32Array> {
  const { real, made, names, count, broken, random } = task;
  const entities = made.starts.length - 1;
  const sound = Int32Array.from({ length: entities }, (_, entity) => entity).filter((entity) => broken[entity] === 0);
  if (sound.length <= count) return firstOf(sound, broken, count);
  const tables = countTables(real, made, names, random.child('tables'));
  const target = countCells(real, tables);
  const scale = count / (real.starts.length - 1);
  const off = target.map((own) => -own * scale);
  const weight = weightsOf(tables).map((own, cell) => own / (target[cell]! * scale + 1));
  const move = mover(entriesOf(made, tables, 'made'), made.starts, off, weight);
  const order = shuffledRows(sound.length, random.child('order')).map((at) => sound[at]!);
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

function countCells(real: EntityRows, tables: CountTables): Float32Array {
  const counts = new Float32Array(tables.cells);
  const ones = new Float32Array(tables.cells).fill(1);
  const move = mover(entriesOf(real, tables, 'real'), real.starts, counts, ones);
  for (let entity = 0; entity + 1 < real.starts.length; entity++) move(entity, 1);
  return counts;
}

/** Returns the change in weighted squared error. */
function mover({ starts, cells, from, fewer }: Entries, rows: Int32Array, off: Float32Array, weight: Float32Array) {
  return (entity: number, by: 1 | -1): number => {
    const length = rows[entity + 1]! - rows[entity]!;
    let [change, at] = [0, starts[entity]!];
    for (let table = 0; table < from.length; table++) {
      const base = from[table]!;
      for (const end = at + length - fewer[table]!; at < end; at++) {
        const cell = base + cells[at]!;
        change += (2 * by * off[cell]! + 1) * weight[cell]!;
        off[cell]! += by;
      }
    }
    return change;
  };
}

function firstOf(sound: Int32Array, broken: Uint8Array, count: number): Int32Array {
  const others = Int32Array.from(broken.keys()).filter((entity) => broken[entity] === 1);
  return Int32Array.from([...sound, ...others].slice(0, count)).sort();
}
