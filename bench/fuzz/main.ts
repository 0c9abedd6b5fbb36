/** `npm run fuzz -- [count] [seed]`: up to 100,000 mutated uploads in bounded time. Ends with 1 where one is answered wrongly. */
import { counted, withCommas } from '../../domain/table/wording.ts';
import { fuzz } from './fuzz.ts';
import { seedFiles } from './seeds.ts';

const MOST_FILES = 100_000;
const BUDGET_MS = 60 * 60 * 1000;
const MOST_MS = 5000;
const MOST_MEMORY_MB = 1024;

const [count = 10_000, seed = 1] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(count) || count < 1 || count > MOST_FILES || !Number.isSafeInteger(seed) || seed < 0) {
  console.error(`Give a count of files from 1 to ${withCommas(MOST_FILES)} and a seed: npm run fuzz -- 10000 1`);
  process.exit(2);
}

const start = performance.now();
const { answers, findings, slowestMs, peakBytes } = await fuzz(seedFiles(), {
  seed,
  count,
  budgetMs: BUDGET_MS,
  mostMs: MOST_MS,
});
const done = [...answers.values()].reduce((sum, n) => sum + n, 0);
const peakMb = Math.round(peakBytes / 2 ** 20);
console.log(
  `${counted(done, 'file')} of ${withCommas(count)} in ${((performance.now() - start) / 1000).toFixed(1)} s, seed ${seed}`,
);
for (const [answer, files] of [...answers].sort((a, b) => b[1] - a[1]))
  console.log(`${withCommas(files).padStart(9)}  ${answer}`);
console.log(`slowest file ${Math.round(slowestMs)} ms, peak memory ${peakMb} MB`);
for (const { number, what } of findings.slice(0, 20)) console.error(`file ${number}: ${what}`);
if (findings.length > 0 || peakMb > MOST_MEMORY_MB || done < count) process.exitCode = 1;
