/** Writes texts with a trie: lengths as the real ones, none verbatim from the training rows. */
import { type Empirical, quantile } from '../../../numerics/distributions/empirical.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { type CharacterTrie, childFinder, contextOf, END } from './characterTrie.ts';
import { hashText } from './verbatim.ts';
import { drawAfter, endsAfter } from './wittenBell.ts';

export interface TextModel {
  trie: CharacterTrie;
  characters: readonly string[];
  /** Lengths of the real texts in code points. */
  lengths: Empirical;
  /** Hashes of texts that must not come out. */
  protectedHashes: ReadonlySet<number>;
}

/** Attempts at a text before it is given up, by the order of contexts they use: full, then shorter. */
const FULL_ATTEMPTS = 6;
const SHORT_ORDERS = [3, 3, 2, 2, 1, 1, 0, 0] as const;
/** Last attempts: no context at all, and ever longer. */
const LONGER_ATTEMPTS = 12;
/** Draws of END that are refused at one place before shorter contexts are asked. */
const REFUSED_ENDS = 4;

/** A text may end by itself from this share of its drawn length on, and must by `LATEST_END`. */
const EARLIEST_END = 0.92;
const LATEST_END = 1.15;
const LATEST_END_EXTRA = 8;

/** A function that writes one text; null where every attempt was a protected text. */
export function textWriter(model: TextModel, random: RandomStream): () => string | null {
  const { trie, protectedHashes } = model;
  const childOf = childFinder(trie);
  const orders = [...new Array<number>(FULL_ATTEMPTS).fill(trie.order), ...SHORT_ORDERS.filter((k) => k < trie.order)];
  const write = (order: number, length: number): string => {
    const history = [trie.kinds];
    const latest = Math.ceil(length * LATEST_END) + LATEST_END_EXTRA;
    while (history.length <= latest) {
      const context = contextOf(childOf, history, history.length, order);
      const done = history.length - 1;
      if (done >= length && endsAfter(trie, context)) break;
      const symbol = drawInside(trie, context, done < length * EARLIEST_END, random);
      if (symbol === END) break;
      history.push(symbol);
    }
    return history
      .slice(1)
      .map((symbol) => model.characters[symbol - 1]!)
      .join('');
  };
  return () => {
    const length = Math.max(1, Math.round(quantile(model.lengths, random.uniform())));
    for (const order of orders) {
      const text = write(order, length);
      if (!protectedHashes.has(hashText(text))) return text;
    }
    for (let extra = 1; extra <= LONGER_ATTEMPTS; extra++) {
      const text = write(0, length + extra);
      if (!protectedHashes.has(hashText(text))) return text;
    }
    return null;
  };
}

/** The next symbol; not END where the text is still too short, if the data leave a choice. */
function drawInside(trie: CharacterTrie, context: number, tooShort: boolean, random: RandomStream): number {
  for (let node = context; ; node = trie.parent[node]!) {
    for (let tries = 0; tries < REFUSED_ENDS; tries++) {
      const symbol = drawAfter(trie, node, random);
      if (symbol !== END || !tooShort) return symbol;
    }
    if (node === 0) return END;
  }
}
