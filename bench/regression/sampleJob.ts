/**
 * A process of its own that samples a regression as a job does: `node sampleJob.ts family n numbers categories`; prints JSON.
 * Memory is what comes on top of a process with two threads that do nothing.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type FamilyName, familyOf } from '../../packages/numerics/distributions/families.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { Predictor } from '../../packages/numerics/regression/design/design.ts';
import { sampleRegression } from '../../packages/numerics/regression/sampleRegression.ts';

const names: Record<string, FamilyName> = {
  student_t: 'student_t',
  gamma: 'gamma',
  negative_binomial: 'negative_binomial',
};
const family = names[process.argv[2]!]!;
const [n, numbers, categories] = process.argv.slice(3).map(Number) as [number, number, number];
const DRAWS = 1_000;
/** Link-scale values of constants. */
const CONSTANTS: Record<string, number> = { sigma: -0.4, nu: 1.4, phi: 0.7, shape: 0.7 };

const { columns, response } = makeTable();
const emptyProcess = await bytesWithIdleThreads(2);
const start = performance.now();
const seconds = (): number => (performance.now() - start) / 1000;
let planned = 0;
const sampled = await sampleRegression(
  { response, family, columns, draws: DRAWS, tune: DRAWS },
  {
    random: createStream(1, 'bench'),
    onProgress({ fact }) {
      if (fact === 'chains_sampled') planned ||= seconds();
    },
  },
);
const { user, system } = process.cpuUsage();
const { method, gradients, leastBulkEss } = sampled.diagnostics;
const memory = (process.resourceUsage().maxRSS * 1024 - emptyProcess) / (n * sampled.names.length * 8);
const cpu = (user + system) / 1e6;
const figures = { planned, seconds: seconds(), cpu, ess: leastBulkEss, gradients, memory, method };
console.log(JSON.stringify({ columns: sampled.names.length, ...figures }));

/** Most bytes resident so far, beside threads that have started; they end. */
async function bytesWithIdleThreads(count: number): Promise<number> {
  const idle = Array.from({ length: count }, () => new Worker('setInterval(() => {}, 1_000)', { eval: true }));
  await Promise.all(idle.map((worker) => once(worker, 'online')));
  const bytes = process.resourceUsage().maxRSS * 1024;
  await Promise.all(idle.map((worker) => worker.terminate()));
  return bytes;
}

/** Waves of normal numbers, and categories of 3 to 43 levels, some of them rare. */
function makeTable(): { columns: Predictor[]; response: Float64Array } {
  const random = createStream(1, 'job');
  const eta = new Float64Array(n).fill(0.5);
  const own: Predictor[] = [];
  for (let j = 0; j < numbers; j++) {
    const values = Float64Array.from({ length: n }, () => random.normal());
    values.forEach((x, i) => {
      eta[i]! += 0.1 * Math.sin(1.5 * x + j) + (j % 3 === 0 ? 0.1 * x : 0);
    });
    own.push({ kind: 'numeric', name: `x${j}`, values });
  }
  for (let j = 0; j < categories; j++) {
    const effects = Array.from({ length: 3 + 10 * (j % 5) }, () => 0.15 * random.normal());
    const codes = Int32Array.from({ length: n }, () => Math.floor(effects.length * random.uniform() ** 1.5));
    codes.forEach((code, i) => {
      eta[i]! += effects[code]!;
    });
    own.push({ kind: 'category', name: `c${j}`, codes, levels: effects.map((_, k) => `level ${k}`) });
  }
  const { parameters, draw } = familyOf(family);
  const row = Float64Array.from(parameters, ({ name }) => CONSTANTS[name] ?? 0);
  const response = Float64Array.from(eta, (at) => {
    row[0] = at;
    return draw(row, random);
  });
  return { columns: own, response };
}
