import { parentPort, workerData } from 'node:worker_threads';
import { streamAt } from '../../../numerics/random/createStream.ts';
import { type PieceOrder, restoreNumbers } from './leafRankVine.ts';
import { makePiece } from './makePiece.ts';

const model = restoreNumbers(workerData);

parentPort?.on('message', async ({ piece, random }: PieceOrder) => {
  parentPort?.postMessage(await makePiece(model, piece, streamAt(random), async () => {}));
});
