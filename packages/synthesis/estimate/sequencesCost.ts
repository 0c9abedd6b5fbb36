import { counted } from '../../words/wording.ts';
import { MAX_ROWS } from '../models/sequence/fitSequence.ts';
import type { JobSize } from './sizes.ts';

/** CPU seconds, measured on two tables of sequences. */
const COST = {
  /** Per fitted cell (up to `MAX_ROWS` rows) and generated cell. */
  cell: 7.2e-5,
  made: 1.1e-4,
} as const;
const THREADS = 8;

export function sequencesCost({ training, made, categories, numbers, target }: JobSize) {
  const columns = categories + numbers + (target ? 1 : 0);
  const shared = COST.cell * columns * Math.min(training, MAX_ROWS);
  const why = `${counted(columns, 'column')}, each given the rows before`;
  return { cpu: shared + COST.made * columns * made, shared, threads: THREADS, why };
}
