/**
 * Counts of what follows each context, in a trie of contexts read backwards: the root is the empty context, a child adds
 * the symbol before. A context is split further only where it stands twice or more: what stands once has one successor,
 * and longer contexts of it would only copy.
 */

/** The symbol that ends a text. It never stands inside a context. */
export const END = 0;

/** A text as symbols, END left out: 1 … kinds-1. */
export type Symbols = Int32Array;

export interface CharacterTrie {
  /** Symbols there are, END among them. The start of a text is one more, `kinds`, in contexts only. */
  kinds: number;
  order: number;
  /** Of each node but the root (node 0): the context without its oldest symbol, and that symbol. */
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

/** Counts contexts of up to `order` symbols. */
export function buildTrie(texts: readonly Symbols[], kinds: number, order: number): CharacterTrie {
  const stream = joined(texts, kinds);
  const nodes = { parent: [-1], oldest: [-1] };
  const successors: [number, number][] = [];
  // The node of each position's context so far; -1 where it ends.
  const nodeAt = Int32Array.from(stream, (symbol) => (symbol === kinds ? -1 : 0));
  for (let length = 0; ; length++) {
    const seen = countSuccessors(stream, nodeAt, nodes.parent.length, kinds, successors);
    if (length === order) break;
    lengthen(stream, nodeAt, seen, length, kinds, nodes);
  }
  return {
    kinds,
    order,
    parent: Int32Array.from(nodes.parent),
    oldest: Int32Array.from(nodes.oldest),
    ...packed(successors, nodes.parent.length, kinds),
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
