/** A process of its own that builds a large regression and samples it: `node sampleLarge.ts family n p`; prints JSON. */

import type { FamilyName } from '../../packages/numerics/distributions/families.ts';
import { familyOf } from '../../packages/numerics/distributions/families.ts';
import { bulkEss, coordinateOf } from '../../packages/numerics/mcmc/diagnostics.ts';
import { sampleChains } from '../../packages/numerics/mcmc/sampleChains.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { findMode } from '../../packages/numerics/regression/findMode.ts';
import { openPosterior, prepareRegression } from '../../packages/numerics/regression/prepareRegression.ts';
import { regressionProgram } from '../../packages/numerics/regression/runChains.ts';
import type { RegressionSpec } from '../../packages/numerics/regression/spec.ts';

const ITERATIONS = 1_000;
const names: Record<string, FamilyName> = { gaussian: 'gaussian', negative_binomial: 'negative_binomial' };
const family = names[process.argv[2]!]!;
const [n, p] = [Number(process.argv[3]), Number(process.argv[4])];

const emptyProcess = process.memoryUsage().rss;
const start = performance.now();
const seconds = (): number => (performance.now() - start) / 1000;
const spec = buildSpec();
const built = seconds();
const data = prepareRegression(spec);
const prepared = seconds();
const posterior = openPosterior(data);
const mode = findMode(posterior);
const found = seconds();
const rows = data.data.kind === 'rows' ? data.data.spec.y.length : 1;
const results = await sampleChains({
  program: regressionProgram,
  data,
  options: { draws: ITERATIONS, tune: ITERATIONS, whitening: { mode: mode.position, factor: mode.factor! } },
  chains: 4,
  gradientFlops: rows * 4 * p + 4 * posterior.dimension ** 2,
  random: createStream(1, 'bench'),
  onProgress: async () => undefined,
  yieldToEventLoop: async () => undefined,
});
const sampled = seconds();
const all = results.map((result) => result.draws);
const d = posterior.dimension;
const ess = Math.min(...Array.from({ length: d }, (_, at) => bulkEss(coordinateOf(all, d, at))));
const memory = (process.resourceUsage().maxRSS * 1024 - emptyProcess) / (n * p * 8);
console.log(JSON.stringify({ built, prepared, found, sampled, ess, memory, converged: mode.converged }));

/** Standard normal columns after an intercept, the design on shared memory, as a job has it. */
function buildSpec(): RegressionSpec {
  const random = createStream(1, 'large');
  const values = new Float64Array(new SharedArrayBuffer(n * p * 8));
  const y = new Float64Array(n);
  const eta = new Float64Array(2);
  const response = familyOf(family);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < p; j++) {
      const x = j === 0 ? 1 : random.normal();
      values[i * p + j] = x;
      sum += 0.1 * Math.cos(j) * x;
    }
    eta[0] = sum + 0.5;
    y[i] = response.draw(eta, random);
  }
  return {
    family,
    y,
    weights: null,
    predictors: [
      {
        kind: 'linear',
        parameter: 'mu',
        design: { kind: 'dense', rows: n, cols: p, values },
        names: Array.from({ length: p }, (_, j) => `x${j}`),
        priors: Array.from({ length: p }, () => ({ kind: 'normal', mean: 0, sd: 2.5 })),
        pools: [],
      },
      { kind: 'constant', parameter: family === 'gaussian' ? 'sigma' : 'phi', prior: { kind: 'exponential', rate: 1 } },
    ],
  };
}
