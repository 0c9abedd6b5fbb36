/**
 * The continuous model of one made-up table in a process of its own: fitted, and rows made by it. argv: rows, numbers,
 * categories, rows to make, and `lines` to see on stderr what it reports. Prints figures as a JSON line.
 */

import type { ProgressEvent } from '../../packages/contract/events.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { leafRankVine } from '../../packages/synthesis/models/copula/leafRankVine.ts';
import { continuousTable } from './continuousTable.ts';
import { FIT_SETTINGS } from './fitSettings.ts';

const [rows = 10_000, numbers = 10, categories = 3, made = 10_000] = process.argv.slice(2, 6).map(Number);
const random = createStream(1, 'bench/continuousScale');
const { table, ...names } = continuousTable({ rows, numbers, categories }, random.child('table'));
const given = new Map(
  names.categories.map((name) => {
    const column = table.columns.get(name)!;
    if (column.kind !== 'category') throw new Error(`${name} is no category`);
    return [name, { ...column, codes: Int32Array.from({ length: made }, (_, row) => column.codes[row % rows]!) }];
  }),
);

const start = performance.now();
const secondsSince = (from: number): number => (performance.now() - from) / 1000;
/** Of this thread's processor, so that whoever else keeps the machine busy does not count. */
let heard = process.threadCpuUsage();
let longestSilence = 0;
/** Lets the event loop turn, as a job does, and notes how long it could not. */
const yieldToEventLoop = async (): Promise<void> => {
  const { user, system } = process.threadCpuUsage(heard);
  longestSilence = Math.max(longestSilence, (user + system) / 1e6);
  await new Promise((resolve) => setImmediate(resolve));
  heard = process.threadCpuUsage();
};
const onProgress = async (event: ProgressEvent): Promise<void> => {
  if (process.argv[6] === 'lines') console.error(`${secondsSince(start).toFixed(1)} s  ${JSON.stringify(event)}`);
  await yieldToEventLoop();
};

const begun = process.cpuUsage();
const fitted = await leafRankVine.fit({
  table,
  columns: names.numbers,
  given: names.categories,
  random: random.child('fit'),
  onProgress,
  yieldToEventLoop,
  settings: FIT_SETTINGS,
});
const fitSeconds = secondsSince(start);
await yieldToEventLoop();
const fitSilence = longestSilence;
longestSilence = 0;
await fitted.sample({
  rows: made,
  made: { rows: made, columns: given },
  random: random.child('sample'),
  representative: true,
  onProgress,
  yieldToEventLoop,
});
await yieldToEventLoop();
const { user, system } = process.cpuUsage(begun);
console.log(
  JSON.stringify({
    fitSeconds,
    seconds: secondsSince(start),
    cpu: (user + system) / 1e6,
    megabytes: process.resourceUsage().maxRSS / 1024,
    savedMegabytes: JSON.stringify(fitted.save()).length / 2 ** 20,
    fitSilence,
    sampleSilence: longestSilence,
  }),
);
