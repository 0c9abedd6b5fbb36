/**
 * Successor counts in a trie of reversed contexts. A context that occurs once is not extended: longer ones would merely
 * copy.
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Owners } from '../../disclosure/guardTexts.ts';
import { OwnedTally } from './ownedTally.ts';

/** Ends a text; never within a context. */
export const END = 0;

/** Without END: 1 … kinds-1. */
export type Symbols = Int32Array;

export interface CharacterTrie {
  /** Symbols including END; `kinds` itself starts a text, in contexts only. */
  kinds: number;
  order: number;
  /** Context without its oldest symbol, and that symbol, by node; node 0 is the root. */
  parent: Int32Array;
  oldest: Int32Array;
  /** Successors of node c: `from[c]` … `from[c + 1]`, ascending, with cumulative counts. */
  from: Int32Array;
  symbol: Int32Array;
  cumulative: Int32Array;
}

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

/** Counts only what many owners have; an owner's texts must be adjacent. */
export interface OfMany {
  /** If undefined, each text has its own. */
  owners: Owners | undefined;
}

export function buildTrie(texts: readonly Symbols[], kinds: number, order: number, ofMany?: OfMany): CharacterTrie {
  const stream = joined(texts, kinds);
  const nodes = { parent: [-1], oldest: [-1] };
  const successors: [number, number][] = [];
  const count = ofMany ? countOfMany(texts, ofMany) : countSuccessors;
  // -1 after the context ends.
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

/** Omits nodes without successors, whose children have none either. */
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

/** Adds (node * kinds + symbol, count), and returns visits by node. */
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

/** Undefined if the longer context was not kept. */
export type ChildOf = (node: number, oldest: number) => number | undefined;

export function childFinder(trie: CharacterTrie): ChildOf {
  const width = trie.kinds + 1;
  const children = new Map<number, number>();
  for (let node = 1; node < trie.parent.length; node++) {
    children.set(trie.parent[node]! * width + trie.oldest[node]!, node);
  }
  return (node, oldest) => children.get(node * width + oldest);
}

export function contextOf(childOf: ChildOf, history: ArrayLike<number>, at: number, order: number): number {
  let node = 0;
  for (let length = 1; length <= order && at - length >= 0; length++) {
    const child = childOf(node, history[at - length]!);
    if (child === undefined) return node;
    node = child;
  }
  return node;
}

interface Alphabet {
  /** Character k is symbol k + 1. */
  characters: string[];
  encode(text: string): Symbols;
}

/** Omits lone surrogates. */
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

// Backoff (Witten and Bell, 1991, method C): after n occurrences with t distinct successors, draws from them with
// probability n / (n + t), else from the shorter context.

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

/** P(symbol | history) by maximum context length (0 … `trie.order`). */
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

/** Bits per symbol, including END, likewise. */
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
