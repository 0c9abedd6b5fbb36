import { parentPort } from 'node:worker_threads';
import { finish } from '../../../numerics/steps.ts';
import { type LabelOrder, labelWeights } from './drawLabels.ts';

parentPort?.on('message', (order: LabelOrder) => {
  parentPort?.postMessage(finish(labelWeights(order)));
});
