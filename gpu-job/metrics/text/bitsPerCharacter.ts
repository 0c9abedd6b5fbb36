/**
 * What held-out texts cost under a model of some texts: bits per character of a Witten-Bell n-gram of order 5 (Witten and
 * Bell, 1991; perplexity as a measure of generated text: Zhao et al., 2018). Fewer is better; texts that agree with the
 * real ones train a model that is as good as one trained on as many real texts.
 */
import { learnAlphabet } from '../../models/text/alphabet.ts';
import { buildTrie, childFinder } from '../../models/text/characterTrie.ts';
import { bitsByOrder } from '../../models/text/wittenBell.ts';
import type { Mean } from '../intervals.ts';

const ORDER = 5;

/** Characters of the texts that are paid for, at most. */
const TESTED_CHARACTERS = 50_000;

export interface Cost {
  /** Bits and characters (the end of a text is one) of each text paid for. */
  bits: Float64Array;
  characters: Float64Array;
}

/** Undefined where there is nothing to learn from or to pay for. */
export function costOf(train: readonly string[], test: readonly string[]): Cost | undefined {
  if (train.length === 0 || test.length === 0) return undefined;
  // One alphabet of both, so that no character of the texts paid for is free.
  const { characters, encode } = learnAlphabet([...train, ...test].sort());
  const trie = buildTrie(train.map(encode), characters.length + 1, ORDER);
  const childOf = childFinder(trie);
  let left = TESTED_CHARACTERS;
  const paid = test.map(encode).filter((text) => {
    left -= text.length;
    return left >= 0;
  });
  const lengths = Float64Array.from(paid, (text) => text.length + 1);
  const bits = Float64Array.from(paid, (text, at) => bitsByOrder(trie, childOf, [text]).at(-1)! * lengths[at]!);
  return paid.length > 0 ? { bits, characters: lengths } : undefined;
}

/** Bits per character, with the standard error of a ratio over texts. */
export const bitsPerCharacter = (cost: Cost): Mean => ratio(cost.bits, cost.characters);

/** The difference of two models' bits per character on the same texts. */
export const costGap = (a: Cost, b: Cost): Mean =>
  ratio(
    a.bits.map((bits, at) => bits - b.bits[at]!),
    a.characters,
  );

function ratio(of: Float64Array, to: Float64Array): Mean {
  const n = of.length;
  const total = to.reduce((sum, value) => sum + value, 0);
  const mean = of.reduce((sum, value) => sum + value, 0) / total;
  const squares = of.reduce((sum, value, at) => sum + (value - mean * to[at]!) ** 2, 0);
  return { mean, error: n > 1 ? Math.sqrt((squares * n) / (n - 1)) / total : Number.NaN };
}
