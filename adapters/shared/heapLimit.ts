/** The heap of a job's process. */
import { totalmem } from 'node:os';

/** Share of the memory of the machine or container that the heap of JavaScript may take; arrays of numbers lie outside it. */
const HEAP_SHARE = 0.6;

/** A flag for Node. */
export function heapLimitFlag(): string {
  const limit = process.constrainedMemory();
  const bytes = Math.min(limit > 0 ? limit : Number.POSITIVE_INFINITY, totalmem());
  return `--max-old-space-size=${Math.floor((HEAP_SHARE * bytes) / 2 ** 20)}`;
}
