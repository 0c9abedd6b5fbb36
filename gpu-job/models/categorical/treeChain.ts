/**
 * Categorical columns, and where cells are missing, by a chain of classification trees (Reiter, 2005; synthpop): columns
 * ordered by information, each drawn from the smoothed counts of its leaf given the columns before it. A missing cell is
 * a level. What follows from another column in every row follows here too; levels of too few rows do not come out.
 */
import { z } from 'zod';
import { counted, quoted } from '../../../domain/table/wording.ts';
import type { CategoryColumn, FitTask, FittedModel, Model, ModelColumn, ModelTable, SampleTask } from '../model.ts';
import { isTurn } from '../shared/chunks.ts';
import { chainOrder } from './chainOrder.ts';
import { levelCounts, levelsOf } from './countTable.ts';
import { classDrawer } from './drawClass.ts';
import { type SeenColumn, seenColumn } from './features.ts';
import { findFunctions, orderFunctions, ROWS_A_LEVEL } from './findFunctions.ts';
import { type ChainLink, fitLink, linkSchema, prepareDraw, saveLink } from './fitLink.ts';
import { allGains, type Levels } from './information.ts';
import { drawThreshold, releasable } from './rareLevels.ts';

/** Cells looked at to order the columns, at most: with more columns, fewer rows are looked at. */
const MAX_ORDER_CELLS = 1e9;
/** Columns that one tree asks, at most: those that tell most. */
const MOST_FEATURES = 24;

const savedSchema = z.object({ columns: z.array(z.string()), chain: z.array(linkSchema) });

export const treeChain: Model = {
  name: 'chain of classification trees',
  async fit(task) {
    return fitted(task.columns, await fitChain(task));
  },
  restore(saved) {
    const { columns, chain } = savedSchema.parse(saved);
    return fitted(columns, chain);
  },
};

async function fitChain(task: FitTask): Promise<ChainLink[]> {
  const { table } = task;
  const givenNames = task.given.filter((name) => table.columns.get(name)?.kind === 'category');
  const names = [...givenNames, ...task.columns];
  const columns = names.map((name) => categoryColumn(table, name));
  const { order, gains, functions, tells } = arrange(columns, givenNames.length, table.rows);
  await task.report(
    `Categories: order of ${counted(order.length, 'column')} by information from ${counted(table.rows, 'row')}`,
  );
  const numbers = task.given.filter((name) => table.columns.get(name)?.kind === 'numeric');
  const thresholds = thresholdsOf(task, columns, functions);
  const before = givenNames.flatMap((_, at) => (tells[at] ? [at] : []));
  const chain: ChainLink[] = [];
  for (const at of order) {
    const column = columns[at]!;
    const counts = levelCounts(levelsOf(column), column.levels.length + 1);
    const of = functions[at] ?? null;
    chain.push(
      fitLink({
        table,
        column,
        released: releasable(counts, thresholds[at]!),
        given: seen(table, [...mostTelling(before, gains, at).map((other) => names[other]!), ...numbers]),
        of: of === null ? null : seenColumn(table, names[of]!)!,
        random: task.random.child(column.name),
      }),
    );
    if (tells[at]) before.push(at);
    if (isTurn(chain.length - 1, order.length)) {
      await task.report(`Categories: learnt ${chain.length} of ${counted(order.length, 'column')}`);
    }
  }
  return chain;
}

function categoryColumn(table: ModelTable, name: string): CategoryColumn {
  const column = table.columns.get(name);
  if (column?.kind !== 'category') throw new RangeError(`no category column ${JSON.stringify(name)}`);
  return column;
}

const seen = (table: ModelTable, names: readonly string[]): SeenColumn[] =>
  names.slice(0, MOST_FEATURES).map((name) => seenColumn(table, name)!);

/**
 * The order of the columns that are to be modelled, what each tells of each, what each follows from, and which have rows
 * enough a level to tell something: of a level of one row a tree could only repeat that row.
 */
function arrange(columns: readonly CategoryColumn[], given: number, rows: number) {
  const stride = Math.max(1, Math.ceil((rows * columns.length ** 2) / MAX_ORDER_CELLS));
  const gains = allGains(columns.map((column) => encoded(column, stride)));
  const all = [...columns.keys()];
  const byInformation = [...all.slice(0, given), ...chainOrder(gains, given).map(({ column }) => column)];
  const classes = columns.map((column) => {
    const { levels, counts, kinds } = encoded(column, 1);
    return { classes: levels, kinds, seen: counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0) };
  });
  const functions = findFunctions(classes, byInformation);
  const order = orderFunctions(byInformation, functions).filter((column) => column >= given);
  const tells = classes.map(({ seen: levels }) => levels * ROWS_A_LEVEL <= rows);
  return { order, gains, functions, tells };
}

function encoded(column: CategoryColumn, stride: number): Levels {
  const levels = levelsOf(column, stride);
  const kinds = column.levels.length + 1;
  return { levels, kinds, counts: levelCounts(levels, kinds) };
}

/** Rows from which a level comes out: a column that follows from another has the other's number. */
function thresholdsOf(
  task: FitTask,
  columns: readonly CategoryColumn[],
  functions: readonly (number | null)[],
): number[] {
  const random = task.random.child('rare levels');
  const own = columns.map((column) =>
    task.settings.keepRare || column.indicator ? 0 : drawThreshold(random.child(column.name)),
  );
  return own.map((threshold, at) => {
    let from = at;
    while ((functions[from] ?? null) !== null) from = functions[from]!;
    return threshold === 0 ? 0 : own[from]!;
  });
}

/** The columns made before, those that tell most of column `at` first. */
const mostTelling = (before: readonly number[], gains: readonly (readonly number[])[], at: number): number[] =>
  [...before].sort((a, b) => (gains[b]![at] ?? 0) - (gains[a]![at] ?? 0) || a - b);

function fitted(columns: readonly string[], chain: readonly ChainLink[]): FittedModel {
  return {
    sample: (task) => sample(columns, chain, task),
    save: () => ({ columns: [...columns], chain: chain.map(saveLink) }),
    diagnostics: () => ({
      chain: chain.map(({ name, given, leafRows, tree, follows }) => ({
        name,
        given: follows ? [follows.of.name] : given.map((column) => column.name),
        leaf_rows: leafRows,
        leaves: tree.tree.leaves,
      })),
      notes: chain.flatMap(notesOf),
    }),
  };
}

function notesOf({ name, withheld, released }: ChainLink): string[] {
  const levels = released.filter((may) => !may).length;
  if (withheld === 0) return [];
  const what = `${counted(levels, 'level')} of column ${quoted(name)}, in ${counted(withheld, 'row')}`;
  if (released.some((may, one) => may && one > 0)) {
    return [
      `${what}, had too few rows to be released; others stand in their place. Send keep_rare: true to keep them.`,
    ];
  }
  return [
    `${what}, had too few rows to be released and no other level is there: its cells are empty. Send keep_rare: true to keep them, or name the column in text_cols.`,
  ];
}

async function sample(
  columns: readonly string[],
  chain: readonly ChainLink[],
  task: SampleTask,
): Promise<CategoryColumn[]> {
  const own = new Map<string, CategoryColumn>();
  const made = new Map<string, ModelColumn>(task.made.columns);
  for (const [at, link] of chain.entries()) {
    const draw = classDrawer(prepareDraw(link, { rows: task.rows, columns: made }), task.random.child(link.name));
    const codes = new Int32Array(task.rows);
    for (let row = 0; row < task.rows; row++) codes[row] = draw(row) - 1;
    const column: CategoryColumn = { kind: 'category', name: link.name, codes, levels: link.levels };
    made.set(link.name, column);
    own.set(link.name, column);
    if (isTurn(at, chain.length)) await task.report(`Categories: ${at + 1} of ${counted(chain.length, 'column')} made`);
  }
  return columns.map((name) => own.get(name)!);
}
