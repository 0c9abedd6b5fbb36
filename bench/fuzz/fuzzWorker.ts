/** The thread that reads mutated files one after the other. The watchdog sees in shared memory which one, and since when. */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { answerTo, isAllowed, mutatedFile } from './fuzz.ts';
import type { FuzzMessage } from './watch.ts';

const data = z
  .object({ seed: z.int(), from: z.int(), to: z.int(), step: z.int(), state: z.instanceof(SharedArrayBuffer) })
  .parse(workerData);

/** The file's number, and when its reading began, in milliseconds since 1970; 0 between files. */
const state = new Float64Array(data.state);
const say = (message: FuzzMessage): void => parentPort?.postMessage(message);

/** Files between two messages. */
const BATCH = 200;
let answers: Record<string, number> = {};
let slowest = { number: -1, ms: 0 };

for (let number = data.from; number < data.to; number += data.step) {
  const bytes = mutatedFile(data.seed, number);
  state[0] = number;
  state[1] = Date.now();
  const before = performance.now();
  const answer = await answerTo(bytes);
  const ms = performance.now() - before;
  state[1] = 0;
  if (ms > slowest.ms) slowest = { number, ms };
  const key = isAllowed(answer) ? answer : 'finding';
  answers[key] = (answers[key] ?? 0) + 1;
  if (key === 'finding') say({ kind: 'finding', number, what: answer });
  const isLast = number + data.step >= data.to;
  if (isLast || ((number - data.from) / data.step) % BATCH === BATCH - 1) {
    say({ kind: 'done', next: number + data.step, answers, slowest });
    answers = {};
  }
}
