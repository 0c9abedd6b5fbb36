/**
 * Witten and Bell (1991), method C, by backing off: after a context seen n times with t different successors, the next
 * symbol is drawn from its counts with probability n / (n + t), else from the context without its oldest symbol.
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { type CharacterTrie, type ChildOf, END, type Symbols } from './characterTrie.ts';

/** Times that `symbol` followed the node's context. */
function countAfter(trie: CharacterTrie, node: number, symbol: number): number {
  let low = trie.from[node]!;
  const start = low;
  let high = trie.from[node + 1]! - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (trie.symbol[middle]! < symbol) low = middle + 1;
    else high = middle;
  }
  if (trie.symbol[low] !== symbol) return 0;
  return trie.cumulative[low]! - (low > start ? trie.cumulative[low - 1]! : 0);
}

export const endsAfter = (trie: CharacterTrie, node: number): boolean => trie.symbol[trie.from[node]!] === END;

/** Draws the symbol after a context. */
export function drawAfter(trie: CharacterTrie, context: number, random: RandomStream): number {
  let node = context;
  for (;;) {
    const start = trie.from[node]!;
    const end = trie.from[node + 1]!;
    const seen = trie.cumulative[end - 1]!;
    const kinds = end - start;
    const place = node === 0 ? random.uniform() * seen : random.uniform() * (seen + kinds);
    if (place < seen) return trie.symbol[firstAbove(trie.cumulative, start, end, place)]!;
    node = trie.parent[node]!;
  }
}

function firstAbove(sums: Int32Array, start: number, end: number, place: number): number {
  let low = start;
  let high = end - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sums[middle]! > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** P(symbol | what stands before place `at` of `history`) under contexts of at most 0, 1, … `trie.order` symbols. */
export function probabilitiesByOrder(
  trie: CharacterTrie,
  childOf: ChildOf,
  history: ArrayLike<number>,
  at: number,
  symbol: number,
): Float64Array {
  const out = new Float64Array(trie.order + 1);
  let node: number | undefined = 0;
  let p = 1 / trie.kinds;
  for (let length = 0; length <= trie.order; length++) {
    if (node !== undefined) {
      const kinds = trie.from[node + 1]! - trie.from[node]!;
      const seen = trie.cumulative[trie.from[node + 1]! - 1]!;
      p = (countAfter(trie, node, symbol) + kinds * p) / (seen + kinds);
      node = at - length - 1 >= 0 ? childOf(node, history[at - length - 1]!) : undefined;
    }
    out[length] = p;
  }
  return out;
}

/** Bits that the texts' symbols (END too) cost under contexts of at most 0, 1, … `trie.order` symbols, per symbol. */
export function bitsByOrder(trie: CharacterTrie, childOf: ChildOf, texts: readonly Symbols[]): Float64Array {
  const bits = new Float64Array(trie.order + 1);
  let symbols = 0;
  for (const text of texts) {
    const history = new Int32Array(text.length + 2).fill(END);
    history[0] = trie.kinds;
    history.set(text, 1);
    for (let at = 1; at < history.length; at++) {
      const probabilities = probabilitiesByOrder(trie, childOf, history, at, history[at]!);
      for (let length = 0; length < bits.length; length++) bits[length]! -= Math.log2(probabilities[length]!);
    }
    symbols += history.length - 1;
  }
  return bits.map((sum) => sum / symbols);
}
