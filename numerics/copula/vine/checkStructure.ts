/** Whether an order and an array describe a regular vine. */
import { leastPlaces, type VineStructure } from './vine.ts';

/** Throws RangeError, saying where, if `structure` is no regular vine of `columns` columns, truncated or not. */
export function checkStructure({ order, array }: VineStructure, columns: number): void {
  const sorted = [...order].sort((a, b) => a - b);
  if (order.length !== columns || sorted.some((column, k) => column !== k)) {
    throw new RangeError(`a vine's order holds each of the columns 0 … ${columns - 1} once, not ${order.join(', ')}`);
  }
  if (array.length > columns - 1) throw new RangeError(`${columns} columns have at most ${columns - 1} trees`);
  const least = leastPlaces(array);
  array.forEach((row, t) => {
    if (row.length !== columns - 1 - t) {
      throw new RangeError(`tree ${t + 1} of ${columns} columns has ${columns - 1 - t} edges, not ${row.length}`);
    }
    row.forEach((place, e) => {
      const seen = array.slice(0, t).some((before) => before[e] === place);
      if (!(Number.isInteger(place) && place > e && place < columns) || seen) {
        throw new RangeError(
          `edge ${e + 1} of tree ${t + 1} goes to place ${place}: a later place, and one not yet joined`,
        );
      }
      if (t > 0 && !isProximate(array, t, e, least[t]![e]!)) {
        throw new RangeError(
          `edge ${e + 1} of tree ${t + 1} joins nodes that share none of tree ${t}: no regular vine`,
        );
      }
    });
  });
}

/** Column `other` must have the same set in tree t-1 as edge e has besides it. */
function isProximate(array: VineStructure['array'], t: number, e: number, other: number): boolean {
  const own = array.slice(0, t + 1).map((row) => row[e]!);
  const theirs = new Set([other, ...array.slice(0, t).map((row) => row[other]!)]);
  return own.every((place) => theirs.has(place));
}
