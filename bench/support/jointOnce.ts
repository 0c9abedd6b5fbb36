/**
 * The models of categories, numbers, labels and target of one shared table, repeated and jittered to `rows`, in a process of its own:
 * fitted, and `made` rows drawn. argv: table, rows, made, and `lines` to see on stderr what it reports. Prints a JSON line.
 */

import type { ProgressEvent } from '../../packages/contract/events.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import { isLabel } from '../../packages/synthesis/models/categorical/redrawnLabels.ts';
import { categoryColumn, type ModelColumn, type ModelTable } from '../../packages/synthesis/models/model.ts';
import { MODELS } from '../../packages/synthesis/models/registry.ts';
import { FIT_SETTINGS } from './fitSettings.ts';
import { readSharedTable, sharedData } from './sharedTables.ts';

const [name = 'adult', rows = 100_000, made = 200_000] = [process.argv[2], ...process.argv.slice(3, 5).map(Number)];
if (sharedData === undefined) throw new Error('there is no ../shared beside the project');
const random = createStream(1, 'bench/jointScale');
const shared = readSharedTable(sharedData, name);
const { roles } = shared;
const table = repeated(shared.table, rows, random.child('rows'));

/** Whole numbers move by up to one in a hundred of their column's spread, and stay whole; zeros stay. */
function repeated(of: ModelTable, count: number, stream: RandomStream): ModelTable {
  const from = Int32Array.from({ length: count }, (_, row) => (row < of.rows ? row : stream.integer(of.rows)));
  const columns = [...of.columns.values()].map((column): ModelColumn => {
    if (column.kind === 'text') throw new Error('tables of text have a bench of their own');
    if (column.kind === 'category') return { ...column, codes: from.map((row) => column.codes[row]!) };
    const there = column.values.filter(Number.isFinite);
    const mean = there.reduce((sum, value) => sum + value, 0) / there.length;
    const spread = Math.sqrt(there.reduce((sum, value) => sum + (value - mean) ** 2, 0) / there.length);
    const moved = (value: number) => (value === 0 ? 0 : Math.round(value + 0.01 * spread * stream.normal()));
    return { ...column, values: Float64Array.from(from, (row) => moved(column.values[row]!)) };
  });
  return { rows: count, columns: new Map(columns.map((column) => [column.name, column])) };
}

const settings = { ...FIT_SETTINGS, family: 'gaussian' as const };
const begun = performance.now();
const seconds = (): number => (performance.now() - begun) / 1000;
const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));
const onProgress = async (event: ProgressEvent): Promise<void> => {
  if (process.argv[5] === 'lines') console.error(`${seconds().toFixed(1)} s  ${JSON.stringify(event)}`);
  await yieldToEventLoop();
};

const categories = roles.categorical.map((column) => categoryColumn(table, column));
const parts = [
  ['categorical', roles.categorical],
  ['continuous', roles.continuous],
  ['label', categories.filter((column) => isLabel(column, categories)).map((column) => column.name)],
  ['target', roles.target === null ? [] : [roles.target]],
] as const;
const given: string[] = [];
const models = [];
const fitSeconds: number[] = [];
for (const [role, columns] of parts) {
  const start = seconds();
  const task = {
    table,
    columns,
    given: [...given],
    settings,
    random: random.child(role),
    onProgress,
    yieldToEventLoop,
  };
  models.push({ role, fitted: await MODELS[role].fit(task) });
  given.push(...columns.filter((column) => !given.includes(column)));
  fitSeconds.push(seconds() - start);
}
const columns = new Map<string, ModelColumn>();
const drawSeconds: number[] = [];
for (const { role, fitted } of models) {
  const start = seconds();
  const task = {
    rows: made,
    made: { rows: made, columns },
    representative: true as const,
    onProgress,
    yieldToEventLoop,
  };
  for (const column of await fitted.sample({ ...task, random: random.child(`draw ${role}`) })) {
    columns.set(column.name, column);
  }
  drawSeconds.push(seconds() - start);
}
console.log(JSON.stringify({ fitSeconds, drawSeconds, megabytes: process.resourceUsage().maxRSS / 1024 }));
