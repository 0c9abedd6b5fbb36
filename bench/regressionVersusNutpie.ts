/** Our NUTS against nutpie on nine reference posteriors: both on this machine, one after the other, in one run. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { plainModel } from './regression/plainModel.ts';
import { readReferenceModel } from './regression/referenceModels.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute, preparePython } from './support/python.ts';
import { sharedData } from './support/sharedTables.ts';

const MODELS = [
  'kidiq__kidscore_interaction',
  'mesquite__logmesquite',
  'wells_data__wells_daae_c_model',
  'nmes_visits__negbin',
  'nmes_emergency__zip',
  'forbes_logmv__studentt',
  'k401k_prate__beta',
  'ohlsson_claims__gamma',
  'diamonds__diamonds',
];
const DRAWS = 1_000;
const TUNE = 1_000;

const peerSchema = z.object({ name: z.string(), compile: z.number(), sample: z.number(), ess: z.number() });
const ownSchema = z.object({ ess: z.number(), seconds: z.number(), gradients: z.number(), divergences: z.number() });

export const bench: Bench = {
  title: "NUTS beside nutpie: our ESS/s (whole process) at least nutpie's of sampling, and 10 × its with compilation",
  async run() {
    if (sharedData === undefined) throw new Error('it needs the reference posteriors, and there is no ../shared here.');
    const folder = join(sharedData, '..');
    const python = preparePython('nutpie', ['nutpie==0.16.8', 'pymc==5.28.5', 'numba==0.65.1', 'arviz==0.23.4']);
    const rows: TableCell[][] = [];
    for (const name of MODELS) {
      const file = join(cacheFolder(), `posterior-${name}.json`);
      const models = [plainModel(name, readReferenceModel(folder, name).spec)];
      writeFileSync(file, JSON.stringify({ draws: DRAWS, tune: TUNE, models }));
      rows.push(compare(python, name, file));
      console.log(
        rows
          .at(-1)!
          .map((cell) => (typeof cell === 'number' ? cell.toPrecision(4) : cell))
          .join('  '),
      );
    }
    console.log();
    printTable(
      [
        'reference',
        'nutpie ESS',
        's sample',
        's compile',
        'ESS/s',
        'our ESS',
        's process',
        'ESS/s',
        '÷ sampling',
        '÷ compiled',
        'gradients a draw',
        'divergences',
      ],
      rows,
    );
  },
};

function compare(python: string, name: string, file: string): TableCell[] {
  const start = performance.now();
  const script = join(import.meta.dirname, 'regression', 'sampleReference.ts');
  const own = ownSchema.parse(JSON.parse(execute(process.execPath, [script, file, name, `${DRAWS}`, `${TUNE}`])));
  const seconds = (performance.now() - start) / 1000;
  const peerScript = join(import.meta.dirname, 'support', 'nutpieSample.py');
  const peer = peerSchema.parse(JSON.parse(execute(python, [peerScript, file]).trim().split('\n').at(-1)!));
  const rate = own.ess / seconds;
  const peerRate = peer.ess / peer.sample;
  const compiledRate = peer.ess / (peer.sample + peer.compile);
  return [
    name,
    peer.ess,
    peer.sample,
    peer.compile,
    peerRate,
    own.ess,
    seconds,
    rate,
    rate / peerRate,
    rate / compiledRate,
    own.gradients,
    own.divergences,
  ];
}
