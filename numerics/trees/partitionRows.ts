/** Splits a node's stretch of the row order in two, in place and stably. */
import type { Split } from './findSplit.ts';

/**
 * Moves the rows of order[start … end-1] that go left before those that go right, both in their order.
 * @param spare as long as `order`; overwritten.
 * @param missing the missing bin of the column.
 * @returns where the right ones begin.
 */
export function partitionRows(
  order: Uint32Array,
  spare: Uint32Array,
  start: number,
  end: number,
  column: Uint8Array,
  missing: number,
  split: Split,
): number {
  let left = start;
  let right = 0;
  for (let i = start; i < end; i++) {
    const row = order[i]!;
    const bin = column[row]!;
    if (bin === missing ? split.missingLeft : bin <= split.bin) order[left++] = row;
    else spare[right++] = row;
  }
  for (let i = 0; i < right; i++) order[left + i] = spare[i]!;
  return left;
}
