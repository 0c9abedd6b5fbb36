/** Runs the fuzzing threads, and ends one that hangs or takes too much memory: that is a finding, and it goes on behind. */
import { Worker } from 'node:worker_threads';
import type { Finding } from './fuzz.ts';

export type FuzzMessage =
  | { kind: 'finding'; number: number; what: string }
  | { kind: 'done'; next: number; answers: Record<string, number>; slowest: { number: number; ms: number } };

export interface FuzzReport {
  /** Files by answer: 'read', the code of an upload error, or 'finding'. */
  answers: Map<string, number>;
  findings: Finding[];
  slowest: { number: number; ms: number };
  /** Largest resident memory of the process seen, in bytes. */
  peakBytes: number;
}

export interface FuzzOptions {
  seed: number;
  /** Numbers of the first file and of the one behind the last. */
  from: number;
  to: number;
  threads: number;
  /** A file that takes longer is a finding. */
  mostMs: number;
  /** Heap of a thread: a file that needs more is a finding. */
  heapMb: number;
  /** No further file is begun after this time. */
  budgetMs: number;
  /** Is told now and then how many files are done. */
  progress?: (done: number, report: FuzzReport) => void;
  /** The thread's code. */
  entry?: URL;
}

const LOOK_MS = 250;

export async function watch(options: FuzzOptions): Promise<FuzzReport> {
  const report: FuzzReport = { answers: new Map(), findings: [], slowest: { number: -1, ms: 0 }, peakBytes: 0 };
  const end = Date.now() + options.budgetMs;
  const threads = Array.from({ length: options.threads }, (_, index) => runThread(options, index, end, report));
  await Promise.all(threads);
  report.findings.sort((a, b) => a.number - b.number);
  return report;
}

async function runThread(options: FuzzOptions, index: number, end: number, report: FuzzReport): Promise<void> {
  let next: number | undefined = options.from + index;
  while (next !== undefined && next < options.to && Date.now() < end)
    next = await runWorker(options, next, end, report);
}

/** Runs one worker until it is through, hangs, dies or its time is up. The number to go on with; undefined at the end. */
function runWorker(options: FuzzOptions, from: number, end: number, report: FuzzReport): Promise<number | undefined> {
  const { seed, to, threads: step, mostMs, heapMb } = options;
  const state = new Float64Array(new SharedArrayBuffer(16));
  const worker = new Worker(options.entry ?? new URL('./fuzzWorker.ts', import.meta.url), {
    workerData: { seed, from, to, step, state: state.buffer },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  return new Promise((resolve) => {
    let told = from;
    const finish = (next: number | undefined): void => {
      clearInterval(timer);
      worker.removeAllListeners();
      worker.on('error', () => undefined);
      void worker.terminate().then(() => resolve(next));
    };
    const lose = (what: string): void => {
      const number = Math.max(told, state[0]!);
      report.findings.push({ number, what });
      // Files of the batch that were answered before this one are not reported any more: count them by their number.
      count(report, { 'answered before a finding': (number - told) / step, finding: 1 });
      finish(number + step);
    };
    const timer = setInterval(() => {
      report.peakBytes = Math.max(report.peakBytes, process.memoryUsage.rss());
      const began = state[1]!;
      if (began > 0 && Date.now() - began > mostMs) lose(`took more than ${mostMs} ms`);
      else if (Date.now() >= end) finish(undefined);
    }, LOOK_MS);
    worker.on('message', (message: FuzzMessage) => {
      if (message.kind === 'finding') report.findings.push({ number: message.number, what: message.what });
      else {
        told = message.next;
        count(report, message.answers);
        if (message.slowest.ms > report.slowest.ms) report.slowest = message.slowest;
        options.progress?.(doneOf(report), report);
      }
    });
    worker.on('error', (error) => lose(error instanceof Error ? `${error.name}: ${error.message}` : String(error)));
    worker.on('exit', (code) => (code === 0 ? finish(undefined) : lose(`the thread ended with ${code}`)));
  });
}

function count(report: FuzzReport, answers: Record<string, number>): void {
  for (const [answer, files] of Object.entries(answers)) {
    if (files > 0) report.answers.set(answer, (report.answers.get(answer) ?? 0) + files);
  }
}

export const doneOf = ({ answers }: FuzzReport): number => [...answers.values()].reduce((sum, files) => sum + files, 0);
