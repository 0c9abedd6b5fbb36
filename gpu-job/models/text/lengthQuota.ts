/**
 * Lengths of texts as in the data: what a network draws from a nucleus is longer where texts end at a limit (titles of 50
 * characters), and shorter where they wander. A text whose length has had its share is written again (rejection sampling).
 */
import { z } from 'zod';

/** Bin k has lengths above `edges[k - 1]` and at most `edges[k]`, in characters; of all texts it has `shares[k]`. */
export const lengthsSchema = z.object({ edges: z.array(z.number()), shares: z.array(z.number()) });
export type Lengths = z.infer<typeof lengthsSchema>;

const BINS = 20;
/** A bin may have so many texts more than its share of those taken, in parts of that share and outright. */
const SLACK_SHARE = 0.03;
const SLACK_TEXTS = 2;
/** Times that one text is written again for its length, at most. */
const MOST_TRIES = 3;

/** Code points. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

export function learnLengths(texts: readonly string[]): Lengths {
  const lengths = Float64Array.from(texts, lengthOf).sort();
  const ends = Array.from({ length: BINS }, (_, k) => lengths[Math.ceil(((k + 1) * lengths.length) / BINS) - 1] ?? 0);
  const edges = [...new Set(ends)];
  const counts = edges.map(() => 0);
  for (const length of lengths) counts[binOf(edges, length)]!++;
  return { edges, shares: counts.map((count) => count / Math.max(1, lengths.length)) };
}

/** The last bin has no upper end, so that every length has one; in the data it has one. */
const binOf = (edges: readonly number[], length: number): number => {
  const bin = edges.findIndex((edge) => length <= edge);
  return bin < 0 ? edges.length : bin;
};

/** Says of texts, in the order in which they are written, whether one may be taken by its length; `tries` were not. */
export function lengthJudge({ edges, shares }: Lengths): (text: string, tries: number) => boolean {
  const taken = new Float64Array(edges.length + 1);
  let all = 0;
  return (text, tries) => {
    const bin = binOf(edges, lengthOf(text));
    const most = (1 + SLACK_SHARE) * (shares[bin] ?? 0) * (all + 1) + SLACK_TEXTS;
    if (taken[bin]! + 1 > most && tries < MOST_TRIES) return false;
    taken[bin]!++;
    all++;
    return true;
  };
}
