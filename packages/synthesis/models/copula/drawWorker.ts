import { parentPort } from 'node:worker_threads';
import { finish } from '../../../numerics/steps.ts';
import { type DensityDraw, uInBins } from './columnDensity.ts';

parentPort?.on('message', (task: DensityDraw) => {
  parentPort?.postMessage(finish(uInBins(task)));
});
