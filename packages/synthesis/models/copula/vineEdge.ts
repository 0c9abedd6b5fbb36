import type { SavedPair } from '../../../numerics/copula/pairCopula.ts';
import { type Choices, type EdgeTask, fitEdge } from '../../../numerics/copula/vine/settings.ts';
import type { Task } from '../../tasks/task.ts';

export interface EdgeOrder {
  task: EdgeTask;
  choices: Choices;
}

export interface EdgeReply {
  saved: SavedPair;
  logLikelihood: number;
}

export const fitVineEdge = {
  name: 'fitVineEdge',
  work: 'copula',
  // Trees with few edges occupy few threads, and one thread selects trees.
  cost: { seconds: { edge: 2e-3, edgeRow: 6e-7 }, worthSeconds: 2 },
  open:
    () =>
    async ({ task, choices }) => {
      const { pair, logLikelihood } = fitEdge(task, choices);
      return { saved: pair.save(), logLikelihood };
    },
} satisfies Task<EdgeOrder, EdgeReply>;
