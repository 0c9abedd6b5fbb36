/** Writes texts with a trie: lengths as the real ones, none verbatim from the training rows. */
import { isMissing } from '../../../domain/table/missing.ts';
import { type Empirical, quantile } from '../../../numerics/distributions/empirical.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { type CharacterTrie, type ChildOf, childFinder, contextOf, END } from './characterTrie.ts';
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
/** Code points of one text, at most. */
export const LONGEST_TEXT = 20_000;
/** Draws of END that are refused at one place before shorter contexts are asked. */
const REFUSED_ENDS = 4;

/** Characters that a text may go past its drawn length to find a place where real texts end, in shares of the length. */
const OVERRUN = 0.2;
const OVERRUN_EXTRA = 8;

/** A function that writes one text; null where every attempt was a protected text. */
export function textWriter(model: TextModel, random: RandomStream): () => string | null {
  const { trie, protectedHashes } = model;
  const childOf = childFinder(trie);
  const orders = [...new Array<number>(FULL_ATTEMPTS).fill(trie.order), ...SHORT_ORDERS.filter((k) => k < trie.order)];
  const write = (order: number, length: number): string => {
    const symbols = writeSymbols(trie, childOf, order, length, random);
    return symbols.map((symbol) => model.characters[symbol - 1]!).join('');
  };
  const mayPass = (text: string): boolean => !isMissing(text) && !protectedHashes.has(hashText(text));
  return () => {
    const drawn = Math.round(quantile(model.lengths, random.uniform()));
    const length = Math.min(LONGEST_TEXT, Math.max(1, drawn));
    for (const order of orders) {
      const text = write(order, length);
      if (mayPass(text)) return text;
    }
    for (let extra = 1; extra <= LONGER_ATTEMPTS; extra++) {
      const text = write(0, length + extra);
      if (mayPass(text)) return text;
    }
    return null;
  };
}

/** About `length` symbols: cut at the place nearest to it at which real texts end, or there where none is near. */
function writeSymbols(
  trie: CharacterTrie,
  childOf: ChildOf,
  order: number,
  length: number,
  random: RandomStream,
): number[] {
  const history = [trie.kinds];
  let latest = Math.ceil(length * (1 + OVERRUN)) + OVERRUN_EXTRA;
  let best = 0;
  for (let done = 0; done <= latest; done++) {
    const context = contextOf(childOf, history, history.length, order);
    if (done > 0 && endsAfter(trie, context) && Math.abs(done - length) < Math.abs(best - length)) {
      best = done;
      if (done >= length) break;
      latest = Math.min(latest, 2 * length - done);
    }
    const symbol = drawInside(trie, context, random);
    if (symbol === END) break;
    history.push(symbol);
  }
  const isNear = Math.abs(best - length) <= length * OVERRUN + OVERRUN_EXTRA;
  return history.slice(1, 1 + (best > 0 && isNear ? best : length));
}

/** The next symbol, END where the data leave no choice. */
function drawInside(trie: CharacterTrie, context: number, random: RandomStream): number {
  for (let node = context; ; node = trie.parent[node]!) {
    for (let tries = 0; tries < REFUSED_ENDS; tries++) {
      const symbol = drawAfter(trie, node, random);
      if (symbol !== END) return symbol;
    }
    if (node === 0) return END;
  }
}
