/** Values inside of a column's range that many rows share exactly: no density has them, and they tell none from another. */
import { counted, listed, percent } from '../table/wording.ts';

/** Share of the numbers that one value has at least, to be a heap. */
const HEAP_SHARE = 0.15;
/** Other numbers that there are at least, so that the rest is a distribution and not a few levels. */
const LEAST_OTHERS = 10;
const LEAST_OTHER_SHARE = 0.2;

/** Heaps, ascending; none where what is left would be too little to be compared by. `values`: finite numbers. */
export function interiorHeaps(values: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const distinct = [...counts.keys()].sort((a, b) => a - b);
  const heaps = distinct.slice(1, -1).filter((value) => counts.get(value)! >= HEAP_SHARE * values.length);
  const others = heaps.reduce((left, value) => left - counts.get(value)!, values.length);
  const isRest = distinct.length - heaps.length >= LEAST_OTHERS && others >= LEAST_OTHER_SHARE * values.length;
  return isRest ? heaps : [];
}

/** What was left out, for a sentence; empty where nothing was. `left`: rows that were. */
export function heapWords(heaps: readonly number[], left: number, rows: number): string {
  if (heaps.length === 0) return '';
  const are = heaps.length === 1 ? 'is one number' : 'are single numbers';
  return ` ${listed(heaps.map(String), 3)} ${are} that ${counted(left, 'row')} (${percent(left / rows)}) have exactly: no family says that, so the others were compared.`;
}
