/**
 * Counts of what follows each context, in a trie of contexts read backwards: the root is the empty context, a child adds
 * the symbol before. A context is split further only where it stands twice or more: what stands once has one successor,
 * and longer contexts of it would only copy.
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Owners } from '../../disclosure/guardTexts.ts';
import { OwnedTally } from './ownedTally.ts';

/** The symbol that ends a text. It never stands inside a context. */
export const END = 0;

/** A text as symbols, END left out: 1 … kinds-1. */
export type Symbols = Int32Array;

export interface CharacterTrie {
  /** Symbols there are, END among them. The start of a text is one more, `kinds`, in contexts only. */
  kinds: number;
  order: number;
  /** For each node but the root (node 0): the context without its oldest symbol, and that symbol. */
  parent: Int32Array;
  oldest: Int32Array;
  /** Successors of node c: entries `from[c]` … `from[c + 1]`, ascending by symbol, with running sums of their counts. */
  from: Int32Array;
  symbol: Int32Array;
  cumulative: Int32Array;
}

/** All texts end to end: each START, its symbols, END. */
function joined(texts: readonly Symbols[], start: number): Int32Array {
  const out = new Int32Array(texts.reduce((sum, text) => sum + text.length + 2, 0));
  let at = 0;
  for (const text of texts) {
    out[at] = start;
    out.set(text, at + 1);
    at += text.length + 2;
  }
  return out;
}

/** Whose texts are, where only that is counted which many owners have; those of one owner stand one under the other. */
export interface OfMany {
  /** Without them each text is its own. */
  owners: Owners | undefined;
}

/** Counts contexts of up to `order` symbols. */
export function buildTrie(texts: readonly Symbols[], kinds: number, order: number, ofMany?: OfMany): CharacterTrie {
  const stream = joined(texts, kinds);
  const nodes = { parent: [-1], oldest: [-1] };
  const successors: [number, number][] = [];
  const count = ofMany ? countOfMany(texts, ofMany) : countSuccessors;
  // The node of each position's context so far; -1 where it ends.
  const nodeAt = Int32Array.from(stream, (symbol) => (symbol === kinds ? -1 : 0));
  for (let length = 0; ; length++) {
    const seen = count(stream, nodeAt, nodes.parent.length, kinds, successors);
    if (length === order) break;
    lengthen(stream, nodeAt, seen, length, kinds, nodes);
  }
  const { parent, oldest, entries } = ofMany
    ? withoutEmpty(nodes, successors, kinds)
    : { ...nodes, entries: successors };
  return {
    kinds,
    order,
    parent: Int32Array.from(parent),
    oldest: Int32Array.from(oldest),
    ...packed(entries, parent.length, kinds),
  };
}

/** As countSuccessors, of what many owners have; a node that few have was seen not at all. */
function countOfMany(texts: readonly Symbols[], { owners }: OfMany): typeof countSuccessors {
  const textAt = texts.flatMap((text, row) => new Array<number>(text.length + 2).fill(row));
  return (stream, nodeAt, nodes, kinds, successors) => {
    const [ofNodes, ofSuccessors] = [new OwnedTally<number>(owners), new OwnedTally<number>(owners)];
    for (let i = 0; i < stream.length; i++) {
      const node = nodeAt[i]!;
      if (node < 0) continue;
      ofNodes.add(node, textAt[i]!);
      ofSuccessors.add(node * kinds + stream[i]!, textAt[i]!);
    }
    for (const entry of ofSuccessors.common()) successors.push(entry);
    const seen = new Int32Array(nodes);
    for (const [node, times] of ofNodes.common()) seen[node] = times;
    return seen;
  };
}

/** Leaves out nodes whose every successor was; none of them has a child that has any. */
function withoutEmpty(
  { parent, oldest }: { parent: number[]; oldest: number[] },
  successors: readonly (readonly [number, number])[],
  kinds: number,
) {
  const filled = new Set([0, ...successors.map(([key]) => Math.floor(key / kinds))]);
  const kept = [...parent.keys()].filter((node) => filled.has(node));
  const places = new Map(kept.map((node, place) => [node, place]));
  return {
    parent: kept.map((node) => places.get(parent[node]!) ?? -1),
    oldest: kept.map((node) => oldest[node]!),
    entries: successors.map(([key, count]): [number, number] => {
      const node = Math.floor(key / kinds);
      return [places.get(node)! * kinds + (key - node * kinds), count];
    }),
  };
}

/** Adds (node * kinds + symbol, count) for the nodes of this length. Returns how often each node was seen. */
function countSuccessors(
  stream: Int32Array,
  nodeAt: Int32Array,
  nodes: number,
  kinds: number,
  successors: [number, number][],
): Int32Array {
  const seen = new Int32Array(nodes);
  const counts = new Map<number, number>();
  for (let i = 0; i < stream.length; i++) {
    const node = nodeAt[i]!;
    if (node < 0) continue;
    seen[node]! += 1;
    const key = node * kinds + stream[i]!;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const entry of counts) successors.push(entry);
  return seen;
}

/** Moves each position to the context one symbol longer, where there is one and its node was seen twice. */
function lengthen(
  stream: Int32Array,
  nodeAt: Int32Array,
  seen: Int32Array,
  length: number,
  kinds: number,
  nodes: { parent: number[]; oldest: number[] },
): void {
  const children = new Map<number, number>();
  for (let i = 0; i < stream.length; i++) {
    const node = nodeAt[i]!;
    if (node < 0) continue;
    const before = i - length - 1;
    if (seen[node]! < 2 || nodes.oldest[node] === kinds || before < 0) {
      nodeAt[i] = -1;
      continue;
    }
    const key = node * (kinds + 1) + stream[before]!;
    let child = children.get(key);
    if (child === undefined) {
      child = nodes.parent.length;
      children.set(key, child);
      nodes.parent.push(node);
      nodes.oldest.push(stream[before]!);
    }
    nodeAt[i] = child;
  }
}

function packed(
  successors: [number, number][],
  nodes: number,
  kinds: number,
): Pick<CharacterTrie, 'from' | 'symbol' | 'cumulative'> {
  successors.sort(([a], [b]) => a - b);
  const from = new Int32Array(nodes + 1);
  const symbol = new Int32Array(successors.length);
  const cumulative = new Int32Array(successors.length);
  let last = -1;
  successors.forEach(([key, count], k) => {
    const node = Math.floor(key / kinds);
    from[node + 1]! += 1;
    symbol[k] = key % kinds;
    cumulative[k] = count + (node === last ? cumulative[k - 1]! : 0);
    last = node;
  });
  for (let node = 0; node < nodes; node++) from[node + 1]! += from[node]!;
  return { from, symbol, cumulative };
}

/** Finds the child of a node by its oldest symbol; undefined where the longer context was not kept. */
export type ChildOf = (node: number, oldest: number) => number | undefined;

export function childFinder(trie: CharacterTrie): ChildOf {
  const width = trie.kinds + 1;
  const children = new Map<number, number>();
  for (let node = 1; node < trie.parent.length; node++) {
    children.set(trie.parent[node]! * width + trie.oldest[node]!, node);
  }
  return (node, oldest) => children.get(node * width + oldest);
}

/** The longest kept context, at most `order` long, of what stands before place `at` of `history`. */
export function contextOf(childOf: ChildOf, history: ArrayLike<number>, at: number, order: number): number {
  let node = 0;
  for (let length = 1; length <= order && at - length >= 0; length++) {
    const child = childOf(node, history[at - length]!);
    if (child === undefined) return node;
    node = child;
  }
  return node;
}

// Whole code points as symbols: 0 ends a text, 1, 2, … are the alphabet in order of first appearance.

interface Alphabet {
  /** Code points; character k is symbol k + 1. */
  characters: string[];
  encode(text: string): Symbols;
}

/** The alphabet of some texts. Halves of surrogate pairs that stand alone are left out. */
export function buildAlphabet(texts: Iterable<string>): Alphabet {
  const seen = new Set<string>();
  for (const text of texts) for (const character of text) if (character.isWellFormed()) seen.add(character);
  return alphabetOf([...seen]);
}

export function alphabetOf(characters: string[]): Alphabet {
  const symbols = new Map(characters.map((character, k) => [character, k + 1]));
  const encode = (text: string): Symbols => {
    const out: number[] = [];
    for (const character of text) {
      const symbol = symbols.get(character);
      if (symbol !== undefined) out.push(symbol);
    }
    return Int32Array.from(out);
  };
  return { characters, encode };
}

// Witten and Bell (1991), method C, by backing off: after a context seen n times with t different successors, the
// next symbol is drawn from its counts with probability n / (n + t), else from the context without its oldest symbol.

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
