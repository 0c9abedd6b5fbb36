/** The worker thread that boosts, some rounds an order, so that it can be stopped between them. */
import { parentPort } from 'node:worker_threads';
import type { Steps } from '../../../numerics/steps.ts';
import { type BoostOrder, type BoostReply, type BoostTask, boost, type FitOf } from './boostInThreads.ts';

/** Rounds an order. */
const ROUNDS = 20;

let steps: Steps<FitOf<BoostTask>> | undefined;

parentPort?.on('message', (order: BoostOrder) => {
  if (order) steps = boost(order.task, order.seed);
  parentPort?.postMessage(goOn());
});

function goOn(): BoostReply<BoostTask> {
  for (let round = 0; steps && round < ROUNDS; round++) {
    const { done, value } = steps.next();
    if (done) return { fit: value };
  }
  return null;
}
