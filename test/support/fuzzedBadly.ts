/** A fuzzing thread whose file 2 hangs and whose file 4 takes all memory. */
import { parentPort, workerData } from 'node:worker_threads';

const { from, to } = workerData;
const state = new Float64Array(workerData.state);

for (let number = from; number < to; number++) {
  state[0] = number;
  state[1] = Date.now();
  if (number === 2) for (;;);
  const kept: number[][] = [];
  while (number === 4) kept.push(Array.from({ length: 10_000 }, (_, i) => i + 0.5));
  state[1] = 0;
  parentPort?.postMessage({
    kind: 'done',
    next: number + 1,
    answers: { read: 1 },
    slowest: { number, ms: 1 },
  });
}
