/**
 * The compact model beside mostlyai-engine's LSTM, both from scratch on wine's descriptions alone for one epoch: tokens that
 * each is trained on in a second of a processor, and bits per character of a held-out tenth of the distinct rows.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { openEngine } from '../packages/numerics/tensor/engines/openEngine.ts';
import { textColumn } from '../packages/synthesis/models/model.ts';
import { fitNetwork } from '../packages/synthesis/models/text/fitNetwork.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { FIT_SETTINGS } from './support/fitSettings.ts';
import { loadLine } from './support/load.ts';
import { printTable } from './support/printTable.ts';
import { execute, preparePeers } from './support/python.ts';
import { sharedData } from './support/sharedTables.ts';
import { bitsOnHeldOut } from './text/bitsOnHeldOut.ts';
import { parted, readCase } from './text/partedTable.ts';

const COLUMN = 'description';

const peerSchema = z.object({ cpuSeconds: z.number(), tokens: z.number(), bits: z.number() });
type Epoch = z.infer<typeof peerSchema>;
type Parts = ReturnType<typeof parted>;

export const bench: Bench = {
  title: "An epoch from scratch on wine's texts beside mostlyai-engine's LSTM: tokens a CPU-second, bits per character",
  async run() {
    if (sharedData === undefined) throw new Error('it reads the tables of ../shared, which is not there');
    const parts = parted(readCase(sharedData, 'wine_reviews_au').table, COLUMN);
    const rows = [
      ['compact model', await trainOurs(parts)],
      ['LSTM', trainPeer(parts)],
    ] as const;
    printTable(
      ['after one epoch', 'tokens', 'CPU seconds', 'tokens a CPU-second', 'bits per character'],
      rows.map(([name, { tokens, cpuSeconds, bits }]) => [name, tokens, cpuSeconds, tokens / cpuSeconds, bits]),
    );
    console.log(loadLine());
  },
};

async function trainOurs({ training, heldOut }: Parts): Promise<Epoch> {
  const resources = { engine: await openEngine('auto'), base: null, baseProblem: null };
  const quiet = async () => {};
  const task = {
    table: training,
    columns: [COLUMN],
    given: [],
    settings: { ...FIT_SETTINGS, textEpochs: 1 },
    random: createStream(1, 'bench'),
    onProgress: quiet,
    yieldToEventLoop: quiet,
  };
  const before = process.cpuUsage();
  const { fitted, network, vocabulary, quote } = await fitNetwork(task, [COLUMN], resources);
  const { user, system } = process.cpuUsage(before);
  const { network: bits } = await bitsOnHeldOut(resources, fitted, network, vocabulary, heldOut);
  return { cpuSeconds: (user + system) / 1e6, tokens: quote.tokensAnEpoch, bits };
}

function trainPeer({ training, heldOut }: Parts): Epoch {
  const python = preparePeers();
  const path = join(cacheFolder(), 'lstm-texts.json');
  const textsOf = (part: Parts['training']) => textColumn(part, COLUMN).values.filter((text) => text !== null);
  writeFileSync(path, JSON.stringify({ training: textsOf(training), heldOut: textsOf(heldOut) }));
  const out = execute(python, ['-W', 'ignore', join(import.meta.dirname, 'support', 'lstmText.py'), path]);
  return peerSchema.parse(JSON.parse(out.trim().split('\n').at(-1) ?? ''));
}
