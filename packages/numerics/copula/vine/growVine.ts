import type { PairFit } from '../fitPair.ts';
import type { PairCopula } from '../pairCopula.ts';
import {
  type Candidate,
  candidateOf,
  candidatesOf,
  type Node,
  type Observed,
  type Ranking,
  rankingWithin,
} from './observed.ts';
import { type Choices, conditional, edgeTask, fitEdge, type VineHooks } from './settings.ts';
import { leastPlaces, type VineStructure } from './vine.ts';

export interface GrownEdge {
  a: number;
  b: number;
  columns: readonly number[];
  pair: PairCopula;
  logLikelihood: number;
  tau: number;
}

export interface GrowTask {
  columns: readonly Observed[];
  choices: Choices;
  structure: 'dissmann' | 'cvine' | 'dvine' | VineStructure;
  trees: number;
  /** The first worthless tree ends the vine. */
  isWorthwhile(edges: readonly GrownEdge[], tree: number): boolean;
  givenFirst: ReadonlySet<number>;
  everyTau: boolean;
  hooks: VineHooks;
}

/** Maximum rows × candidates (about two seconds), and minimum rows. */
const TAU_CELLS = 2e7;
const MIN_TAU_ROWS = 1_000;
/** Exceeds any gain of two |τ|. */
const GIVEN_BONUS = 4;

interface ChosenEdge extends Candidate {
  tau: number | undefined;
}

export async function growVine(task: GrowTask): Promise<GrownEdge[][]> {
  const trees: GrownEdge[][] = [];
  let nodes: Node[] = task.columns.map(columnNode);
  while (trees.length < task.trees && nodes.length > 1) {
    const tree = trees.length;
    const chosen = await chooseEdges(nodes, tree, task);
    const fits = await fitEdges(nodes, chosen, tree, task);
    const next = chosen.map((edge, k) => edgeNode(nodes, edge, fits[k]!));
    const edges = chosen.map((edge, k) => ({
      a: nodes[edge.a]!.column(edge.sharedA),
      b: nodes[edge.b]!.column(edge.sharedB),
      columns: next[k]!.columns,
      pair: fits[k]!.pair,
      logLikelihood: fits[k]!.logLikelihood,
      tau: edge.tau ?? 0,
    }));
    if (!task.isWorthwhile(edges, tree)) break;
    trees.push(edges);
    nodes = next;
    await task.hooks.onTree?.(trees.length, task.trees);
  }
  return trees;
}

async function fitEdges(
  nodes: readonly Node[],
  edges: readonly ChosenEdge[],
  tree: number,
  { choices, hooks }: GrowTask,
): Promise<PairFit[]> {
  const tasks = edges.map((edge) => {
    const { a, b } = observedOf(nodes, edge);
    return edgeTask(a, b, tree, edge.tau);
  });
  if (hooks.fitEdges !== undefined) return hooks.fitEdges(tasks, choices);
  const fits: PairFit[] = [];
  for (const task of tasks) {
    await hooks.yieldToEventLoop?.();
    fits.push(fitEdge(task, choices));
  }
  return fits;
}

const observedOf = (nodes: readonly Node[], { a, b, sharedA, sharedB }: Candidate) => ({
  a: nodes[a]!.observed(sharedA),
  b: nodes[b]!.observed(sharedB),
});

function columnNode(observed: Observed, column: number): Node {
  return { ends: null, columns: [column], column: () => column, observed: () => observed };
}

/** Computes conditionals lazily, since unshared ends need none. */
function edgeNode(nodes: readonly Node[], edge: Candidate, { pair }: PairFit): Node {
  const { a, b } = observedOf(nodes, edge);
  const [first, second] = [nodes[edge.a]!, nodes[edge.b]!];
  const columns = [...new Set([...first.columns, ...second.columns])].sort((x, y) => x - y);
  const names = [second.column(edge.sharedB), first.column(edge.sharedA)] as const;
  const made: (Observed | undefined)[] = [undefined, undefined];
  return {
    ends: [edge.a, edge.b],
    columns,
    column: (shared) => names[shared],
    observed(shared) {
      made[shared] ??= conditional(pair, a, b, shared === 0 ? 'a' : 'b');
      return made[shared];
    },
  };
}

async function chooseEdges(nodes: readonly Node[], tree: number, task: GrowTask): Promise<ChosenEdge[]> {
  const { structure, choices } = task;
  if (typeof structure === 'object') {
    return givenEdges(structure, tree).map(([a, b]) => withTau(candidateOf(nodes, a, b), nodes, task));
  }
  const candidates = candidatesOf(nodes);
  const forced = candidates.length === nodes.length - 1;
  if (forced) return candidates.map((candidate) => withTau(candidate, nodes, task));
  const rows = tauRows(candidates.length, task);
  const taus = new Float64Array(candidates.length);
  for (const [at, candidate] of candidates.entries()) {
    if (at % 4 === 0) await task.hooks.yieldToEventLoop?.();
    const { a, b } = observedOf(nodes, candidate);
    taus[at] = rankTau(a, b, rows);
  }
  const weights = taus.map((tau, at) => Math.abs(tau) + (isGiven(nodes, candidates[at]!, task) ? GIVEN_BONUS : 0));
  const choose = structure === 'cvine' ? heaviestStar : structure === 'dvine' ? heavyPath : maximumSpanningTree;
  const tauOf = new Map(candidates.map((candidate, at) => [candidate, taus[at]!]));
  const exact = rows === Math.min(choices.structureRows, task.columns[0]!.at.length);
  return choose(nodes.length, candidates, weights).map((candidate) =>
    exact ? { ...candidate, tau: tauOf.get(candidate)! } : withTau(candidate, nodes, task),
  );
}

function tauRows(candidates: number, task: GrowTask): number {
  const affordable = Math.max(MIN_TAU_ROWS, Math.floor(TAU_CELLS / candidates));
  return Math.min(task.columns[0]!.at.length, task.choices.structureRows, affordable);
}

const isGiven = (nodes: readonly Node[], { a, b }: Candidate, { givenFirst }: GrowTask): boolean =>
  [a, b].every((node) => nodes[node]!.columns.every((column) => givenFirst.has(column)));

function withTau(candidate: Candidate, nodes: readonly Node[], task: GrowTask): ChosenEdge {
  const { threshold, independencePretest, structureRows } = task.choices;
  if (!task.everyTau && threshold === 0 && !independencePretest) return { ...candidate, tau: undefined };
  const { a, b } = observedOf(nodes, candidate);
  return { ...candidate, tau: rankTau(a, b, Math.min(a.at.length, structureRows)) };
}

function givenEdges({ order, array }: VineStructure, tree: number): [number, number][] {
  const row = array[tree]!;
  if (tree === 0) return row.map((position, e) => [order[e]!, order[position]!]);
  const least = leastPlaces(array)[tree]!;
  return row.map((_, e) => [e, least[e]!]);
}

/** Prim's (1957) algorithm. */
function maximumSpanningTree(nodes: number, candidates: readonly Candidate[], weights: Float64Array) {
  const touching: number[][] = Array.from({ length: nodes }, () => []);
  candidates.forEach(({ a, b }, at) => {
    touching[a]!.push(at);
    touching[b]!.push(at);
  });
  const inside = new Uint8Array(nodes);
  const best = new Int32Array(nodes).fill(-1);
  const chosen: Candidate[] = [];
  let node = 0;
  while (chosen.length < nodes - 1) {
    inside[node] = 1;
    for (const at of touching[node]!) {
      const other = candidates[at]!.a === node ? candidates[at]!.b : candidates[at]!.a;
      if (best[other]! < 0 || weights[at]! > weights[best[other]!]!) best[other] = at;
    }
    node = -1;
    for (let k = 0; k < nodes; k++) {
      if (inside[k] || best[k]! < 0) continue;
      if (node < 0 || weights[best[k]!]! > weights[best[node]!]!) node = k;
    }
    chosen.push(candidates[best[node]!]!);
  }
  return chosen;
}

function heaviestStar(nodes: number, candidates: readonly Candidate[], weights: Float64Array): Candidate[] {
  const totals = new Float64Array(nodes);
  candidates.forEach(({ a, b }, at) => {
    totals[a]! += weights[at]!;
    totals[b]! += weights[at]!;
  });
  const root = totals.reduce((best, total, k) => (total > totals[best]! ? k : best), 0);
  return candidates.filter(({ a, b }) => a === root || b === root);
}

/** Builds a path greedily: adds the node that gains most at its best place. */
function heavyPath(nodes: number, candidates: readonly Candidate[], weights: Float64Array): Candidate[] {
  const between = new Map(candidates.map((candidate, at) => [candidate.a * nodes + candidate.b, at]));
  const indexOf = (a: number, b: number) => between.get(Math.min(a, b) * nodes + Math.max(a, b))!;
  const weight = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined ? 0 : weights[indexOf(a, b)]!;
  const start = weights.reduce((best, value, at) => (value > weights[best]! ? at : best), 0);
  const path = [candidates[start]!.a, candidates[start]!.b];
  const left = new Set(Array.from({ length: nodes }, (_, k) => k).filter((k) => !path.includes(k)));
  while (left.size > 0) {
    let best = { gain: Number.NEGATIVE_INFINITY, node: -1, position: 0 };
    for (const node of left) {
      for (let position = 0; position <= path.length; position++) {
        const [before, after] = [path[position - 1], path[position]];
        const gain = weight(before, node) + weight(node, after) - weight(before, after);
        if (gain > best.gain) best = { gain, node, position };
      }
    }
    path.splice(best.position, 0, best.node);
    left.delete(best.node);
  }
  return path.slice(1).map((node, k) => candidates[indexOf(path[k]!, node)]!);
}

/** Knight's (1966) τ-b of complete cases among the first `rows` rows; 0 for constants. */
export function rankTau(a: Observed, b: Observed, rows: number): number {
  const [x, y] = [a.ranking(rows), b.ranking(rows)];
  return tauOfRankings(b.missing ? rankingWithin(x, b) : x, a.missing ? rankingWithin(y, a) : y);
}

function tauOfRankings(a: Ranking, b: Ranking): number {
  const n = a.order.length;
  const sequence = new Int32Array(n);
  for (let i = 0; i < n; i++) sequence[i] = b.rank[a.order[i]!]!;
  const tiedBoth = a.tied === 0 ? 0 : sortInsideTies(a, sequence);
  const all = 0.5 * n * (n - 1);
  const discordant = countInversions(sequence);
  const tau = (all - a.tied - b.tied + tiedBoth - 2 * discordant) / Math.sqrt(all - a.tied) / Math.sqrt(all - b.tied);
  return Number.isFinite(tau) ? Math.min(1, Math.max(-1, tau)) : 0;
}

function sortInsideTies(a: Ranking, sequence: Int32Array): number {
  const n = sequence.length;
  let tied = 0;
  for (let start = 0; start < n; ) {
    const rank = a.rank[a.order[start]!]!;
    let end = start + 1;
    while (end < n && a.rank[a.order[end]!] === rank) end++;
    if (end - start > 1) {
      sequence.subarray(start, end).sort();
      let run = 0;
      for (let i = start + 1; i < end; i++) {
        run = sequence[i] === sequence[i - 1] ? run + 1 : 0;
        tied += run;
      }
    }
    start = end;
  }
  return tied;
}

/** Counts in doubles, since n² may exceed 2^32. Sorts `x`. */
export function countInversions(x: Int32Array): number {
  const n = x.length;
  let from: Int32Array = x;
  let to: Int32Array = new Int32Array(n);
  let inversions = 0;
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(start + width, n);
      const end = Math.min(start + 2 * width, n);
      let a = start;
      let b = middle;
      for (let k = start; k < end; k++) {
        if (b >= end || (a < middle && from[a]! <= from[b]!)) to[k] = from[a++]!;
        else {
          inversions += middle - a;
          to[k] = from[b++]!;
        }
      }
    }
    [from, to] = [to, from];
  }
  if (from !== x) x.set(from);
  return inversions;
}
