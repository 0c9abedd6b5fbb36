/** A process of its own that samples a model of a file as a job does: `node sampleFamily.ts file draws tune`; prints JSON. */
import { readFileSync } from 'node:fs';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { openPosterior, prepareRegression } from '../../packages/numerics/regression/prepareRegression.ts';
import { samplePosterior } from '../../packages/numerics/regression/samplePosterior.ts';
import { type PlainModel, specOf } from './plainModel.ts';

const [file, draws, tune] = process.argv.slice(2);
const models: PlainModel[] = JSON.parse(readFileSync(file!, 'utf8')).models;
const spec = specOf(models[0]!);

const start = performance.now();
const drawn = await samplePosterior({
  spec,
  start: openPosterior(prepareRegression(spec)).start,
  draws: Number(draws),
  tune: Number(tune),
  sampler: 'nuts',
  random: createStream(1, 'bench'),
  onProgress: () => undefined,
  yieldToEventLoop: async () => undefined,
});
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ ess: drawn.leastBulkEss, seconds, divergences: drawn.divergences }));
