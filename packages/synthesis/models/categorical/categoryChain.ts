/**
 * Models categories, with missing cells as a level, by a chain of classification trees (Reiter, 2005) and
 * associations. Functional dependencies hold; rare levels are not released.
 */
import { z } from 'zod';
import { counted, countedRoughly, quoted } from '../../../words/wording.ts';
import { drawThreshold, releasable } from '../../disclosure/thresholds.ts';
import {
  type CategoryColumn,
  categoryColumn,
  type FitTask,
  type FittedModel,
  isTurn,
  type Model,
  type ModelColumn,
  type ModelTable,
  type SampleTask,
} from '../model.ts';
import { allGains, chainOrder, type Levels, levelCounts, levelsOf } from './columnOrder.ts';
import { type ConditionalModel, conditionalSchema, fitConditional, prepareDraw } from './conditionalModel.ts';
import { classDrawer } from './drawClass.ts';
import { type SeenColumn, seenColumn } from './features.ts';

/** Wide tables use fewer rows. */
const MAX_ORDER_CELLS = 1e9;
const MAX_FEATURES = 24;

const savedSchema = z.object({ columns: z.array(z.string()), chain: z.array(conditionalSchema) });

export const categoryChain: Model = {
  name: 'chain of classification trees and associations',
  formerly: ['chain of classification trees'],
  async fit(task) {
    return fitted(task.columns, await fitChain(task));
  },
  restore(saved) {
    const { columns, chain } = savedSchema.parse(saved);
    return fitted(columns, chain);
  },
};

async function fitChain(task: FitTask): Promise<ConditionalModel[]> {
  const { table } = task;
  const givenNames = task.given.filter((name) => table.columns.get(name)?.kind === 'category');
  const names = [...givenNames, ...task.columns];
  const columns = names.map((name) => categoryColumn(table, name));
  const { order, gains, functions, isParent } = arrange(columns, givenNames.length, table.rows);
  await task.onProgress({ stage: 'fit', fact: 'categories_ordered', columns: order.length, rows: table.rows });
  const numbers = task.given.filter((name) => table.columns.get(name)?.kind === 'numeric');
  const thresholds = thresholdsOf(task, columns, functions);
  const before = givenNames.flatMap((_, at) => (isParent[at] ? [at] : []));
  const chain: ConditionalModel[] = [];
  for (const at of order) {
    const column = columns[at]!;
    const counts = levelCounts(levelsOf(column), column.levels.length + 1);
    const of = functions[at] ?? null;
    chain.push(
      fitConditional({
        table,
        column,
        released: releasable(counts, thresholds[at]!),
        given: seen(table, [...mostInformative(before, gains, at).map((other) => names[other]!), ...numbers]),
        of: of === null ? null : seenColumn(table, names[of]!)!,
        random: task.random.child(column.name),
      }),
    );
    if (isParent[at]) before.push(at);
    if (isTurn(chain.length - 1, order.length)) {
      await task.onProgress({ stage: 'fit', fact: 'categories_fitted', done: chain.length, total: order.length });
    }
  }
  return chain;
}

const seen = (table: ModelTable, names: readonly string[]): SeenColumn[] =>
  names.slice(0, MAX_FEATURES).map((name) => seenColumn(table, name)!);

/** Parents need enough rows per level, since a tree could only repeat a level's single row. */
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
  const isParent = classes.map(({ seen: levels }) => levels * ROWS_A_LEVEL <= rows);
  return { order, gains, functions, isParent };
}

function encoded(column: CategoryColumn, stride: number): Levels {
  const levels = levelsOf(column, stride);
  const kinds = column.levels.length + 1;
  return { levels, kinds, counts: levelCounts(levels, kinds) };
}

/** Dependent columns share their determining column's threshold. */
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

const mostInformative = (before: readonly number[], gains: readonly (readonly number[])[], at: number): number[] =>
  [...before].sort((a, b) => (gains[b]![at] ?? 0) - (gains[a]![at] ?? 0) || a - b);

function fitted(columns: readonly string[], chain: readonly ConditionalModel[]): FittedModel {
  return {
    sample: (task) => sample(columns, chain, task),
    save: () => savedSchema.encode({ columns: [...columns], chain: [...chain] }),
    suppressed: () => new Map(chain.map((model) => [model.name, suppressedOf(model)])),
    diagnostics: () => ({
      chain: chain.map(({ name, given, leafRows, tree, association, follows }) => ({
        name,
        given: follows ? [follows.of.name] : given.map((column) => column.name),
        leaf_rows: leafRows,
        leaves: tree.tree.leaves,
        ...(association && { associations: association.terms.length }),
      })),
      notes: chain.flatMap(notesOf),
    }),
  };
}

const suppressedOf = ({ levels, released }: ConditionalModel): string[] =>
  levels.filter((_, level) => !released[level + 1]);

function notesOf({ name, withheld, released }: ConditionalModel): string[] {
  const levels = released.filter((may) => !may).length;
  if (withheld === 0) return [];
  const what = `${counted(levels, 'level')} of column ${quoted(name)}, in ${countedRoughly(withheld, 'row')}`;
  if (released.some((may, one) => may && one > 0)) {
    return [`${what}, had too few rows to be released and were replaced by other levels. Set keep_rare to keep them.`];
  }
  return [
    `${what}, had too few rows to be released, and there is no other level: the cells are empty. Set keep_rare to keep them, or put the column in text_cols.`,
  ];
}

async function sample(
  columns: readonly string[],
  chain: readonly ConditionalModel[],
  task: SampleTask,
): Promise<CategoryColumn[]> {
  const own = new Map<string, CategoryColumn>();
  const made = new Map<string, ModelColumn>(task.made.columns);
  for (const [at, model] of chain.entries()) {
    const prepared = prepareDraw(model, { rows: task.rows, columns: made });
    const draw = classDrawer(prepared, task.random.child(model.name), task.representative);
    const codes = new Int32Array(task.rows);
    for (let row = 0; row < task.rows; row++) codes[row] = draw(row) - 1;
    const column: CategoryColumn = { kind: 'category', name: model.name, codes, levels: model.levels };
    made.set(model.name, column);
    own.set(model.name, column);
    if (isTurn(at, chain.length))
      await task.onProgress({ stage: 'generate', fact: 'categories_drawn', done: at + 1, total: chain.length });
  }
  return columns.map((name) => own.get(name)!);
}

interface ColumnClasses {
  /** Classes (0: missing). */
  classes: Int32Array;
  kinds: number;
  seen: number;
}

/** Minimum mean rows per level, since identifiers determine everything. */
const ROWS_A_LEVEL = 5;
const MAX_CELLS = 2e9;

/**
 * Returns each column's determining column with the fewest classes, or null. If two determine each other, the later in
 * `order` depends.
 */
export function findFunctions(columns: readonly ColumnClasses[], order: readonly number[]): (number | null)[] {
  const rank = new Int32Array(columns.length);
  order.forEach((column, at) => {
    rank[column] = at;
  });
  let cells = MAX_CELLS;
  return columns.map((child, c) => {
    if (child.seen < 2) return null;
    let best: number | null = null;
    columns.forEach((parent, p) => {
      const rows = parent.classes.length;
      if (p === c || parent.seen < child.seen || parent.seen * ROWS_A_LEVEL > rows || cells < rows) return;
      if (parent.seen === child.seen && rank[p]! > rank[c]!) return;
      if (best !== null && columns[best]!.seen <= parent.seen) return;
      cells -= rows;
      if (follows(parent, child)) best = p;
    });
    return best;
  });
}

function follows(parent: ColumnClasses, child: ColumnClasses): boolean {
  const known = new Int32Array(parent.kinds).fill(-1);
  for (let row = 0; row < parent.classes.length; row++) {
    const from = parent.classes[row]!;
    const to = child.classes[row]!;
    if (known[from] === -1) known[from] = to;
    else if (known[from] !== to) return false;
  }
  return true;
}

function orderFunctions(order: readonly number[], functions: readonly (number | null)[]): number[] {
  const out: number[] = [];
  const ordered = new Set<number>();
  const add = (column: number): void => {
    if (ordered.has(column)) return;
    ordered.add(column);
    const parent = functions[column] ?? null;
    if (parent !== null) add(parent);
    out.push(column);
  };
  order.forEach(add);
  return out;
}
