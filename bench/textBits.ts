/**
 * Text on a held-out tenth of the distinct rows, in bits per character: the network alone, and mixed with its n-gram, beside
 * the order-6 Witten-Bell baseline. With a base where TEXT_BASE names one, else from scratch. TEXT_TABLES names tables,
 * TEXT_EPOCHS the epochs.
 */
import { readTextBaseFiles } from '../adapters/local/textBaseFiles.ts';
import { takeRows } from '../gpu-job/metrics/columns.ts';
import type { ModelTable, TextResources } from '../gpu-job/models/model.ts';
import { isBaseFile, readTextBase } from '../gpu-job/models/text/base/readTextBase.ts';
import { fitNetwork } from '../gpu-job/models/text/fitNetwork.ts';
import { openEngine } from '../gpu-job/tensor/engines/openEngine.ts';
import { createStream } from '../numerics/random/createStream.ts';
import type { Bench } from './support/bench.ts';
import { FIT_SETTINGS } from './support/fitSettings.ts';
import { printTable } from './support/printTable.ts';
import { readSharedTable, sharedData } from './support/sharedTables.ts';
import { bitsOnHeldOut } from './text/bitsOnHeldOut.ts';

/** Table, column, and what the n-gram of order 6 spends on it. */
const CASES = [
  ['wine_reviews_au', 'description', 1.5],
  ['airline_tweets', 'text', 2.014],
  ['coffee_reviews', 'desc_1', 0.776],
  ['oslo_airbnb', 'name', 1.451],
] as const;

async function openResources(): Promise<TextResources> {
  const path = process.env.TEXT_BASE;
  const files = path ? await readTextBaseFiles(path, isBaseFile) : undefined;
  return { engine: await openEngine('auto'), base: files ? readTextBase(files) : null, baseProblem: null };
}

/** The shared table, and the columns that tell of the row. */
function readCase(folder: string, name: string): { table: ModelTable; given: string[] } {
  const { table, roles } = readSharedTable(folder, name);
  return {
    table,
    given: [...roles.categorical, ...roles.continuous, ...(roles.target === null ? [] : [roles.target])],
  };
}

/** Rows of distinct texts, a random tenth of them apart. */
function parted(table: ModelTable, column: string): { training: ModelTable; heldOut: ModelTable } {
  const own = table.columns.get(column);
  const seen = new Set<string>();
  const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => {
    const text = own?.kind === 'text' ? own.values[row] : null;
    if (!text || seen.has(text)) return false;
    seen.add(text);
    return true;
  });
  const random = createStream(1, 'held out of the bench');
  const isHeld = rows.map(() => random.uniform() < 0.1);
  return {
    training: takeRows(table, Int32Array.from(rows.filter((_, k) => !isHeld[k]))),
    heldOut: takeRows(table, Int32Array.from(rows.filter((_, k) => isHeld[k]))),
  };
}

async function measureCase(
  folder: string,
  [name, column, baseline]: (typeof CASES)[number],
  resources: TextResources,
  textEpochs: number,
) {
  const { table, given } = readCase(folder, name);
  const { training, heldOut } = parted(table, column);
  const [start, before] = [performance.now(), process.cpuUsage()];
  const report = async (line: string) =>
    console.log(`  ${line} (${((performance.now() - start) / 1000).toFixed(0)} s)`);
  const settings = { ...FIT_SETTINGS, textEpochs };
  const breathe = async () => {};
  const task = {
    table: training,
    columns: [column],
    given,
    settings,
    random: createStream(1, 'bench'),
    report,
    breathe,
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
    const epochs = Number(process.env.TEXT_EPOCHS ?? (resources.base ? 3 : 20));
    const rows = [];
    for (const one of CASES) {
      if (!asked || asked.includes(one[0])) rows.push(await measureCase(sharedData, one, resources, epochs));
    }
    console.log(`\n${resources.engine.name}, ${resources.base?.name ?? 'no base'}, ${epochs} epochs\n`);
    printTable(['table', 'network', 'mixed', 'baseline', 'seconds', 'CPU seconds'], rows);
  },
};
