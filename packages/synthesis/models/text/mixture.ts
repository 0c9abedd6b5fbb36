/** Mixes the network with an n-gram of tokens, weighted by context length on held-out text. */
import type { Owners } from '../../disclosure/guardTexts.ts';
import {
  buildTrie,
  type CharacterTrie,
  type ChildOf,
  childFinder,
  contextOf,
  probabilitiesByOrder,
  type Symbols,
} from './characterTrie.ts';

export interface Mixture {
  trie: CharacterTrie;
  /** By length of the longest known context, 0 … order. */
  shares: readonly number[];
}

const TOKEN_ORDER = 5;
/** Minimum relative saving that justifies the cost. */
const MIN_GAIN = 0.003;
const ROUNDS = 25;

/** Omits runs of few owners, which would leak. */
export const tokenTrie = (texts: readonly Symbols[], kinds: number, owners?: Owners): CharacterTrie =>
  buildTrie(texts, kinds, TOKEN_ORDER, { owners });

interface Judged {
  depth: number;
  network: number;
  counts: number;
}

/** Null if the network alone does as well. `likelihoods` are the network's, in nats, including END. */
export function chooseMixture(
  trie: CharacterTrie,
  texts: readonly Symbols[],
  likelihoods: readonly ArrayLike<number>[],
): { mixture: Mixture | null; nats: number } {
  if (trie.symbol.length === 0) return { mixture: null, nats: -sumOf(likelihoods) };
  const judged = texts.flatMap((text, k) => judge(trie, text, likelihoods[k]!));
  const shares = new Array<number>(trie.order + 1).fill(0.2);
  for (let round = 0; round < ROUNDS; round++) improve(shares, judged);
  const alone = judged.reduce((sum, { network }) => sum - Math.log(network), 0);
  const mixed = judged.reduce((sum, one) => sum - Math.log(mix(shares, one)), 0);
  const isBetter = mixed < alone * (1 - MIN_GAIN);
  return isBetter ? { mixture: { trie, shares }, nats: mixed } : { mixture: null, nats: alone };
}

const sumOf = (lists: readonly ArrayLike<number>[]): number =>
  lists.reduce((sum, own) => sum + Array.from(own).reduce((a, b) => a + b, 0), 0);

const mix = (shares: readonly number[], { depth, network, counts }: Judged): number =>
  shares[depth]! * counts + (1 - shares[depth]!) * network;

/** Returns the cost of a text and END in nats. */
export function createMixtureJudge({
  trie,
  shares,
}: Mixture): (text: Symbols, likelihoods: ArrayLike<number>) => number {
  return (text, likelihoods) =>
    judge(trie, text, likelihoods).reduce((sum, one) => sum - Math.log(mix(shares, one)), 0);
}

function judge(trie: CharacterTrie, text: Symbols, likelihoods: ArrayLike<number>): Judged[] {
  const childOf = childFinder(trie);
  const history = new Int32Array(text.length + 2);
  history[0] = trie.kinds;
  history.set(text, 1);
  return Array.from({ length: text.length + 1 }, (_, k) => ({
    depth: depthOf(trie, contextOf(childOf, history, k + 1, trie.order)),
    network: Math.max(1e-30, Math.exp(likelihoods[k]!)),
    counts: probabilitiesByOrder(trie, childOf, history, k + 1, history[k + 1]!)[trie.order]!,
  }));
}

/** An EM step with a prior of four tokens at one fifth. */
function improve(shares: number[], judged: readonly Judged[]): void {
  const mine = shares.map(() => 0.8);
  const all = shares.map(() => 4);
  for (const one of judged) {
    mine[one.depth]! += (shares[one.depth]! * one.counts) / mix(shares, one);
    all[one.depth]! += 1;
  }
  for (let depth = 0; depth < shares.length; depth++) shares[depth] = mine[depth]! / all[depth]!;
}

function depthOf(trie: CharacterTrie, node: number): number {
  let depth = 0;
  for (let at = node; at > 0; at = trie.parent[at]!) depth++;
  return depth;
}

/** Works in place. `history` begins with `trie.kinds`. */
export type Mixer = (probabilities: Float32Array | Float64Array, history: ArrayLike<number>, length: number) => void;

export function createMixer({ trie, shares }: Mixture): Mixer {
  const childOf: ChildOf = childFinder(trie);
  return (probabilities, history, length) => {
    const path: number[] = [];
    for (let at = contextOf(childOf, history, length, trie.order); at > 0; at = trie.parent[at]!) path.push(at);
    let left = shares[path.length]!;
    for (let k = 0; k < probabilities.length; k++) probabilities[k]! *= 1 - left;
    // Each context leaves a part to the next shorter one.
    for (const node of [...path, 0]) left = shareOut(trie, node, probabilities, left);
    for (let k = 0; k < probabilities.length; k++) probabilities[k]! += left / trie.kinds;
  };
}

/** Witten-Bell: returns the unassigned share. */
function shareOut(
  trie: CharacterTrie,
  node: number,
  probabilities: Float32Array | Float64Array,
  share: number,
): number {
  const [from, to] = [trie.from[node]!, trie.from[node + 1]!];
  const kinds = to - from;
  const unit = share / (trie.cumulative[to - 1]! + kinds);
  for (let entry = from; entry < to; entry++) {
    const count = trie.cumulative[entry]! - (entry > from ? trie.cumulative[entry - 1]! : 0);
    probabilities[trie.symbol[entry]!]! += count * unit;
  }
  return kinds * unit;
}
