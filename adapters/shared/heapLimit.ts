import { totalmem } from 'node:os';

/** Share of memory for the JavaScript heap; numeric arrays are outside. */
const HEAP_SHARE = 0.6;

export function heapLimitFlag(): string {
  const limit = process.constrainedMemory();
  const bytes = Math.min(limit > 0 ? limit : Number.POSITIVE_INFINITY, totalmem());
  return `--max-old-space-size=${Math.floor((HEAP_SHARE * bytes) / 2 ** 20)}`;
}
