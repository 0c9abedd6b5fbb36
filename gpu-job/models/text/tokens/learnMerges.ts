/** Learns merges from texts: again and again the pair of neighbours that stands most often becomes one piece. */
import { toByteCharacters } from './byteAlphabet.ts';
import type { Merge } from './bytePairs.ts';
import { type SplitStep, splitWords } from './splitWords.ts';

interface Word {
  pieces: string[];
  count: number;
}

/** Pairs that stand less often are not merged: what stands once or twice is a memory of its row. */
const LEAST_COUNT = 5;

/** Up to `most` merges; of pairs that stand equally often, the first by code units. */
export function learnMerges(texts: readonly string[], split: readonly SplitStep[], most: number): Merge[] {
  const words = countWords(texts, split);
  const counts = new Map<string, number>();
  const places = new Map<string, Set<number>>();
  words.forEach((word, at) => {
    addPairs(word, at, 1, counts, places);
  });
  const merges: Merge[] = [];
  while (merges.length < most) {
    const pair = mostFrequent(counts);
    if (pair === undefined) break;
    const [a, b] = pair.split(' ') as [string, string];
    merges.push([a, b]);
    for (const at of places.get(pair)!) {
      const word = words[at]!;
      addPairs(word, at, -1, counts, places);
      word.pieces = joined(word.pieces, a, b);
      addPairs(word, at, 1, counts, places);
    }
    counts.delete(pair);
    places.delete(pair);
  }
  return merges;
}

function countWords(texts: readonly string[], split: readonly SplitStep[]): Word[] {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of splitWords(text, split)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => ({ pieces: [...toByteCharacters(word)], count }));
}

function addPairs(
  { pieces, count }: Word,
  at: number,
  sign: 1 | -1,
  counts: Map<string, number>,
  places: Map<string, Set<number>>,
): void {
  for (let k = 0; k + 1 < pieces.length; k++) {
    const pair = `${pieces[k]} ${pieces[k + 1]}`;
    counts.set(pair, (counts.get(pair) ?? 0) + sign * count);
    if (sign < 0) continue;
    const own = places.get(pair);
    if (own) own.add(at);
    else places.set(pair, new Set([at]));
  }
}

function mostFrequent(counts: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  let most = LEAST_COUNT - 1;
  for (const [pair, count] of counts) {
    if (count > most || (count === most && best !== undefined && pair < best)) {
      best = pair;
      most = count;
    }
  }
  return best;
}

function joined(pieces: readonly string[], a: string, b: string): string[] {
  const out: string[] = [];
  for (let k = 0; k < pieces.length; k++) {
    if (pieces[k] === a && pieces[k + 1] === b) {
      out.push(a + b);
      k++;
    } else out.push(pieces[k]!);
  }
  return out;
}
