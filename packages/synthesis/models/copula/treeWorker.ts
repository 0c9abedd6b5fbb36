import { parentPort } from 'node:worker_threads';
import { streamAt } from '../../../numerics/random/createStream.ts';
import { finish } from '../../../numerics/steps.ts';
import { fitColumnTree } from './columnTree.ts';
import type { TreeOrder } from './fitColumns.ts';

parentPort?.on('message', ({ present, random }: TreeOrder) => {
  parentPort?.postMessage(finish(fitColumnTree(present, streamAt(random))));
});
