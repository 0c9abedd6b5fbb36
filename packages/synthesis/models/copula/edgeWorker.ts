import { parentPort } from 'node:worker_threads';
import type { SavedPair } from '../../../numerics/copula/pairCopula.ts';
import { type Choices, type EdgeTask, fitEdge } from '../../../numerics/copula/vine/settings.ts';

/** Not validated, since both sides run the same version. */
export interface EdgeOrder {
  task: EdgeTask;
  choices: Choices;
}

export interface EdgeReply {
  saved: SavedPair;
  logLikelihood: number;
}

parentPort?.on('message', ({ task, choices }: EdgeOrder) => {
  const { pair, logLikelihood } = fitEdge(task, choices);
  parentPort?.postMessage({ saved: pair.save(), logLikelihood } satisfies EdgeReply);
});
