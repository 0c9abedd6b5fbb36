/** A process of its own that samples one regression: `node sampleReference.ts file name draws tune`; prints JSON. */
import { readFileSync } from 'node:fs';
import { bulkEss, coordinateOf } from '../../packages/numerics/mcmc/diagnostics.ts';
import { sampleChains } from '../../packages/numerics/mcmc/sampleChains.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { findMode } from '../../packages/numerics/regression/findMode.ts';
import { openPosterior, prepareRegression } from '../../packages/numerics/regression/prepareRegression.ts';
import { regressionProgram } from '../../packages/numerics/regression/runChains.ts';
import { type PlainModel, specOf } from './plainModel.ts';

const [file, name, draws, tune] = process.argv.slice(2);
const order: { models: PlainModel[] } = JSON.parse(readFileSync(file!, 'utf8'));
const spec = specOf(order.models.find((model) => model.name === name)!);

const start = performance.now();
const data = prepareRegression(spec);
const posterior = openPosterior(data);
const mode = findMode(posterior);
const rows = data.data.kind === 'rows' ? data.data.spec.y.length : 1;
const results = await sampleChains({
  program: regressionProgram,
  data,
  options: {
    draws: Number(draws),
    tune: Number(tune),
    whitening: { mode: mode.position, factor: mode.factor! },
  },
  chains: 4,
  gradientFlops: rows * (4 * posterior.dimension + 30) + 4 * posterior.dimension ** 2,
  random: createStream(1, 'bench'),
  onProgress: async () => undefined,
  yieldToEventLoop: async () => undefined,
});
const seconds = (performance.now() - start) / 1000;
const d = posterior.dimension;
const all = results.map((result) => result.draws);
const ess = Math.min(...Array.from({ length: d }, (_, at) => bulkEss(coordinateOf(all, d, at))));
const gradients = results.reduce((sum, { stats }) => sum + stats.leapfrogs.reduce((a, b) => a + b, 0), 0);
const divergences = results.reduce((sum, { stats }) => sum + stats.diverging.reduce((a, b) => a + b, 0), 0);
console.log(JSON.stringify({ ess, seconds, gradients: gradients / (4 * Number(draws)), divergences }));
