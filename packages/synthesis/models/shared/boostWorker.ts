import { parentPort } from 'node:worker_threads';
import { finish } from '../../../numerics/steps.ts';
import { type BoostOrder, type BoostReply, type BoostTask, boost } from './boostInThreads.ts';

parentPort?.on('message', ({ task, seed }: BoostOrder) => {
  parentPort?.postMessage({ fit: finish(boost(task, seed)) } satisfies BoostReply<BoostTask>);
});
