/**
 * `npm run fuzz -- [--count 100000] [--seed 1] [--from 0] [--threads 1] [--minutes 60]`: mutated uploads in bounded time,
 * read by the function that reads uploads, in threads with the heap that the service gives it. Ends with 1 where a file is
 * answered wrongly, takes over 5 s or too much memory; `--from` goes on with a run that was stopped.
 */
import { parseArgs } from 'node:util';
import { counted, withCommas } from '../../packages/words/wording.ts';
import { doneOf, watch } from './watch.ts';

const MAX_FILES = 10_000_000;
const MAX_MS = 5000;
const HEAP_MB = 1024;
const MAX_MEMORY_MB = 1024;
const PROGRESS_FILES = 5000;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    threads: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
  },
});

const BOUNDS = {
  count: [1, MAX_FILES],
  seed: [0, 2 ** 31],
  from: [0, MAX_FILES],
  threads: [1, 16],
  minutes: [1, 1440],
};

function whole(name: keyof typeof BOUNDS): number {
  const [least = 0, most = 0] = BOUNDS[name];
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  console.error(`Give --${name} as a whole number from ${least} to ${withCommas(most)}, not ${values[name]}.`);
  process.exit(2);
}

const [count, seed, from, threads] = [whole('count'), whole('seed'), whole('from'), whole('threads')];
const start = performance.now();
const seconds = (): string => ((performance.now() - start) / 1000).toFixed(1);
let shown = 0;
const report = await watch({
  seed,
  from,
  to: from + count,
  threads,
  mostMs: MAX_MS,
  heapMb: HEAP_MB,
  budgetMs: whole('minutes') * 60_000,
  progress: (done, { findings }) => {
    if (done < shown + PROGRESS_FILES) return;
    shown = done;
    console.log(
      `${withCommas(done)} of ${withCommas(count)} files, ${counted(findings.length, 'finding')}, ${seconds()} s`,
    );
  },
});
const { answers, findings, slowest, peakBytes } = report;
const done = doneOf(report);
const peakMb = Math.round(peakBytes / 2 ** 20);
for (const [answer, files] of [...answers].sort((a, b) => b[1] - a[1]))
  console.log(`${withCommas(files).padStart(9)}  ${answer}`);
console.log(
  `${counted(done, 'file')} of ${withCommas(count)} in ${seconds()} s, seed ${seed}, from ${from}: ${counted(findings.length, 'finding')}, slowest ${Math.round(slowest.ms)} ms (file ${slowest.number}), peak memory ${peakMb} MB`,
);
for (const { number, what } of findings.slice(0, 20)) console.error(`seed ${seed}, file ${number}: ${what}`);
if (findings.length > 0 || peakMb > MAX_MEMORY_MB || done < count) process.exitCode = 1;
