/**
 * Jobs' own sampler on the eighteen reference posteriors: means within four Monte Carlo standard errors (ours and those of the
 * 10,000 reference draws), standard deviations within 3 %. Ends with 1 where one is not.
 */
import { join } from 'node:path';
import { bulkEss, coordinateOf } from '../packages/numerics/mcmc/diagnostics.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { openPosterior, prepareRegression } from '../packages/numerics/regression/prepareRegression.ts';
import { samplePosterior } from '../packages/numerics/regression/samplePosterior.ts';
import { REFERENCE_MODELS, readReferenceModel, referenceName } from './regression/referenceModels.ts';
import type { Bench } from './support/bench.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { sharedData } from './support/sharedTables.ts';

/** Of each chain: so many that a standard deviation has an error of some .7 %. */
const DRAWS = 10_000;
const REFERENCE_DRAWS = 10_000;
const MOST_ERRORS = 4;
const MOST_SPREAD = 0.03;

export const bench: Bench = {
  title: 'The reference posteriors: means within 4 MCSE, standard deviations within 3 %',
  async run() {
    if (sharedData === undefined) throw new Error('it needs the reference posteriors, and there is no ../shared here.');
    const rows: TableCell[][] = [];
    for (const name of Object.keys(REFERENCE_MODELS)) {
      const { errors, spread, parameters } = await compare(join(sharedData, '..'), name);
      rows.push([name, parameters, errors, spread]);
      if (errors > MOST_ERRORS || spread > MOST_SPREAD) process.exitCode = 1;
    }
    printTable(['posterior', 'parameters', 'most MCSE', 'most of an sd'], rows);
  },
};

/** The furthest mean, in standard errors, and the furthest standard deviation, as a share of it. */
async function compare(folder: string, name: string): Promise<{ errors: number; spread: number; parameters: number }> {
  const { spec, reference } = readReferenceModel(folder, name);
  const { posterior, chains } = await samplePosterior({
    spec,
    start: openPosterior(prepareRegression(spec)).start,
    draws: DRAWS,
    tune: 1_000,
    sampler: 'nuts',
    random: createStream(1, name),
    onProgress: () => undefined,
    yieldToEventLoop: async () => undefined,
  });
  let [errors, spread] = [0, 0];
  posterior.names.forEach((parameter, at) => {
    const own = coordinateOf(chains, posterior.dimension, at);
    const all = own.flatMap((chain) => [...chain]);
    const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
    const sd = Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length);
    const expected = reference[referenceName(parameter)]!;
    const error = Math.sqrt(sd ** 2 / bulkEss(own) + expected.sd ** 2 / REFERENCE_DRAWS);
    errors = Math.max(errors, Math.abs(mean - expected.mean) / error);
    spread = Math.max(spread, Math.abs(sd / expected.sd - 1));
  });
  return { errors, spread, parameters: posterior.dimension };
}
