/**
 * Categorical columns by an empirical chain: columns ordered by information, each drawn from its distribution given the
 * most informative earlier column, smoothed by its margin. A missing cell is a level.
 */
import { z } from 'zod';
import { counted } from '../../../domain/table/wording.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { CategoryColumn, FitTask, FittedModel, JsonValue, Model, ModelTable, SampleTask } from '../model.ts';
import { isTurn } from '../shared/chunks.ts';
import { int32Schema, saveArray } from '../shared/savedArrays.ts';
import { chainOrder } from './chainOrder.ts';
import { type CountTable, countPairs, levelCounts, levelsOf } from './countTable.ts';
import { allGains, type Levels, SMOOTHING } from './information.ts';

/** Cells looked at to order the columns, at most: with more columns, fewer rows are looked at. */
const MAX_ORDER_CELLS = 1e9;

const linkSchema = z.object({
  name: z.string(),
  levels: z.array(z.string()),
  /** Rows up to and with each level, missing first. */
  cumulative: int32Schema,
  /** The earlier column and its levels as they were counted; null where the margin is all there is. */
  parent: z
    .object({
      name: z.string(),
      levels: z.array(z.string()),
      from: int32Schema,
      child: int32Schema,
      cumulative: int32Schema,
    })
    .nullable(),
});
type ChainLink = z.infer<typeof linkSchema>;
const savedSchema = z.object({ columns: z.array(z.string()), chain: z.array(linkSchema) });

export const empiricalChain: Model = {
  name: 'empirical chain on the most informative earlier column',
  async fit(task) {
    return fitted(task.columns, await fitChain(task));
  },
  restore(saved) {
    const { columns, chain } = savedSchema.parse(saved);
    return fitted(columns, chain);
  },
};

async function fitChain(task: FitTask): Promise<ChainLink[]> {
  const given = task.given.map((name) => task.table.columns.get(name)).filter((column) => column?.kind === 'category');
  const columns = [...given, ...task.columns.map((name) => categoryColumn(task.table, name))];
  const stride = Math.max(1, Math.ceil((task.table.rows * columns.length ** 2) / MAX_ORDER_CELLS));
  const gains = allGains(columns.map((column) => encoded(column, stride)));
  const order = chainOrder(gains, given.length);
  await task.report(
    `Categories: order of ${counted(order.length, 'column')} by information from ${counted(task.table.rows, 'row')}`,
  );
  const whole = columns.map((column) => encoded(column, 1));
  return order.map(({ column, parent }) => {
    const child = columns[column]!;
    const { counts, levels, kinds } = whole[column]!;
    const link = {
      name: child.name,
      levels: [...child.levels],
      cumulative: cumulative(counts, Int32Array.of(0, kinds)),
    };
    if (parent === null) return { ...link, parent: null };
    const above = whole[parent]!;
    const table = countPairs(above.levels, above.kinds, levels, kinds);
    return { ...link, parent: conditional(columns[parent]!, table) };
  });
}

function categoryColumn(table: ModelTable, name: string): CategoryColumn {
  const column = table.columns.get(name);
  if (column?.kind !== 'category') throw new RangeError(`no category column ${JSON.stringify(name)}`);
  return column;
}

function encoded(column: CategoryColumn, stride: number): Levels {
  const levels = levelsOf(column, stride);
  const kinds = column.levels.length + 1;
  return { levels, kinds, counts: levelCounts(levels, kinds) };
}

const conditional = (column: CategoryColumn, table: CountTable): NonNullable<ChainLink['parent']> => ({
  name: column.name,
  levels: [...column.levels],
  from: table.from,
  child: table.levels,
  cumulative: cumulative(table.counts, table.from),
});

/** Running sums within each stretch `from[p]` … `from[p + 1]`. */
function cumulative(counts: Int32Array, from: Int32Array): Int32Array {
  const sums = Int32Array.from(counts);
  for (let p = 0; p + 1 < from.length; p++) {
    for (let k = from[p]! + 1; k < from[p + 1]!; k++) sums[k]! += sums[k - 1]!;
  }
  return sums;
}

function fitted(columns: readonly string[], chain: readonly ChainLink[]): FittedModel {
  return {
    sample: (task) => sample(columns, chain, task),
    save: () => ({ columns: [...columns], chain: chain.map(saveLink) }),
    diagnostics: () => ({ chain: chain.map(({ name, parent }) => ({ name, given: parent?.name ?? null })) }),
  };
}

async function sample(
  columns: readonly string[],
  chain: readonly ChainLink[],
  task: SampleTask,
): Promise<CategoryColumn[]> {
  const made = new Map<string, CategoryColumn>();
  for (const [at, link] of chain.entries()) {
    const column = {
      kind: 'category' as const,
      name: link.name,
      codes: new Int32Array(task.rows),
      levels: link.levels,
    };
    const draw = drawer(link, made, task.made, task.random.child(link.name));
    for (let row = 0; row < task.rows; row++) column.codes[row] = draw(row) - 1;
    made.set(link.name, column);
    if (isTurn(at, chain.length)) await task.report(`Categories: ${at + 1} of ${counted(chain.length, 'column')} made`);
  }
  return columns.map((name) => made.get(name)!);
}

/** A function that draws the level (0: missing) of one row. */
function drawer(
  link: ChainLink,
  made: ReadonlyMap<string, CategoryColumn>,
  given: ModelTable,
  random: RandomStream,
): (row: number) => number {
  const fromMargin = (): number => drawCumulative(link.cumulative, 0, link.cumulative.length, random);
  if (link.parent === null) return fromMargin;
  const { name, levels, from, child, cumulative: sums } = link.parent;
  const parent = made.get(name) ?? categoryColumn(given, name);
  const places = new Map(levels.map((level, code) => [level, code + 1]));
  const placeOf = Int32Array.from(parent.levels, (level) => places.get(level) ?? -1);
  return (row) => {
    const code = parent.codes[row]!;
    const place = code < 0 ? 0 : placeOf[code]!;
    const start = place < 0 ? 0 : from[place]!;
    const end = place < 0 ? 0 : from[place + 1]!;
    const rows = end > start ? sums[end - 1]! : 0;
    if (random.uniform() * (rows + SMOOTHING) >= rows) return fromMargin();
    return child[drawCumulative(sums, start, end, random)]!;
  };
}

/** An index from `start` to `end` - 1 with probability by its count, given running sums. */
function drawCumulative(sums: Int32Array, start: number, end: number, random: RandomStream): number {
  const place = random.uniform() * sums[end - 1]!;
  let low = start;
  let high = end - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sums[middle]! > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

const saveLink = ({ name, levels, cumulative: sums, parent }: ChainLink): JsonValue => ({
  name,
  levels,
  cumulative: saveArray(sums),
  parent: parent && {
    name: parent.name,
    levels: parent.levels,
    from: saveArray(parent.from),
    child: saveArray(parent.child),
    cumulative: saveArray(parent.cumulative),
  },
});
