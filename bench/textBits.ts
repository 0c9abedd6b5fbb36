/**
 * Text on a held-out tenth of the distinct rows, in bits per character: the network alone, and mixed with its n-gram, beside
 * the order-6 Witten-Bell baseline. From the base that TEXT_BASE names, the small one of the
 * package, or from scratch (`none`). TEXT_TABLES names tables, TEXT_EPOCHS the epochs.
 */

import type { ProgressEvent } from '../packages/contract/events.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import type { TextResources } from '../packages/synthesis/models/model.ts';
import { fitNetwork } from '../packages/synthesis/models/text/fitNetwork.ts';
import type { Bench } from './support/bench.ts';
import { FIT_SETTINGS } from './support/fitSettings.ts';
import { printTable } from './support/printTable.ts';
import { sharedData } from './support/sharedTables.ts';
import { bitsOnHeldOut } from './text/bitsOnHeldOut.ts';
import { openResources, parted, readCase } from './text/partedTable.ts';

/** Table, column, and what the n-gram of order 6 spends on it. */
const CASES = [
  ['wine_reviews_au', 'description', 1.5],
  ['airline_tweets', 'text', 2.014],
  ['coffee_reviews', 'desc_1', 0.776],
  ['oslo_airbnb', 'name', 1.451],
  ['movies', 'Title', Number.NaN],
] as const;

async function measureCase(
  folder: string,
  [name, column, baseline]: (typeof CASES)[number],
  resources: TextResources,
  textEpochs: number,
) {
  const { table, given } = readCase(folder, name);
  const { training, heldOut } = parted(table, column);
  const [start, before] = [performance.now(), process.cpuUsage()];
  const onProgress = async (event: ProgressEvent) =>
    console.log(`  ${JSON.stringify(event)} (${((performance.now() - start) / 1000).toFixed(0)} s)`);
  const settings = { ...FIT_SETTINGS, textEpochs };
  const yieldToEventLoop = async () => {};
  const task = {
    table: training,
    columns: [column],
    given,
    settings,
    random: createStream(1, 'bench'),
    onProgress,
    yieldToEventLoop,
  };
  const { fitted, network, vocabulary } = await fitNetwork(task, [column], resources);
  const cpu = process.cpuUsage(before);
  const bits = await bitsOnHeldOut(resources, fitted, network, vocabulary, heldOut);
  const seconds = (performance.now() - start) / 1000;
  return [name, bits.network, bits.mixed, baseline, seconds, (cpu.user + cpu.system) / 1e6];
}

export const bench: Bench = {
  title: 'text in bits per character on held-out rows; to reach: below the baseline (wine with a base: at most 0.97)',
  async run() {
    if (sharedData === undefined) throw new Error('it reads the tables of ../shared, which is not there');
    const resources = await openResources();
    const asked = process.env.TEXT_TABLES?.split(',');
    const epochs = Number(process.env.TEXT_EPOCHS ?? 3);
    const rows = [];
    for (const one of CASES) {
      if (!asked || asked.includes(one[0])) rows.push(await measureCase(sharedData, one, resources, epochs));
    }
    console.log(
      `\n${resources.engine.name}, ${(resources.base ?? resources.compact)?.name ?? 'from scratch'}, ${epochs} epochs\n`,
    );
    printTable(['table', 'network', 'mixed', 'baseline', 'seconds', 'CPU seconds'], rows);
  },
};
