/** Grows a vine tree by tree: chooses the edges, fits them, and stops where it shall be truncated. */
import type { PairFit } from '../fit/fitPair.ts';
import type { PairCopula } from '../pairCopula.ts';
import { heaviestStar, heavyPath, maximumSpanningTree } from './chooseTree.ts';
import { conditional, edgeTask, fitEdge } from './fitEdge.ts';
import type { Observed } from './observed.ts';
import { rankTau } from './rankTau.ts';
import type { Choices, VineHooks } from './settings.ts';
import { type Candidate, candidateOf, candidatesOf, type Node } from './tree.ts';
import { leastPlaces, type VineStructure } from './vine.ts';

/** A fitted edge: a copula of two columns given the other `columns` in it. */
export interface GrownEdge {
  a: number;
  b: number;
  columns: readonly number[];
  pair: PairCopula;
  logLikelihood: number;
  /** 0 where no one needed it. */
  tau: number;
}

export interface GrowTask {
  columns: readonly Observed[];
  choices: Choices;
  structure: 'dissmann' | 'cvine' | 'dvine' | VineStructure;
  /** Trees to fit at most. */
  trees: number;
  /** Whether a tree is worth having; the first that is not ends the vine. */
  isWorthwhile(edges: readonly GrownEdge[], tree: number): boolean;
  givenFirst: ReadonlySet<number>;
  /** Whether τ is wanted of every edge, needed or not. */
  everyTau: boolean;
  hooks: VineHooks;
}

/** Rows × candidates of one tree for whose τ there is time (about two seconds), and the rows that make a τ. */
const TAU_CELLS = 2e7;
const LEAST_TAU_ROWS = 1_000;
/** Keeps the given columns together: more than two |τ| can gain. */
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
    await hooks.breathe?.();
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

/** Its conditional distributions are worked out when they are asked for: at an end that no edge shares they never are. */
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
    if (at % 4 === 0) await task.hooks.breathe?.();
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
  const affordable = Math.max(LEAST_TAU_ROWS, Math.floor(TAU_CELLS / candidates));
  return Math.min(task.columns[0]!.at.length, task.choices.structureRows, affordable);
}

/** Both nodes consist of given columns only. */
const isGiven = (nodes: readonly Node[], { a, b }: Candidate, { givenFirst }: GrowTask): boolean =>
  [a, b].every((node) => nodes[node]!.columns.every((column) => givenFirst.has(column)));

/** With τ where a threshold, a test or the caller asks for it. */
function withTau(candidate: Candidate, nodes: readonly Node[], task: GrowTask): ChosenEdge {
  const { threshold, independencePretest, structureRows } = task.choices;
  if (!task.everyTau && threshold === 0 && !independencePretest) return { ...candidate, tau: undefined };
  const { a, b } = observedOf(nodes, candidate);
  return { ...candidate, tau: rankTau(a, b, Math.min(a.at.length, structureRows)) };
}

/** Nodes joined by each edge of tree t: edge e of tree t-1 and the one at its least place; in tree 0 columns. */
function givenEdges({ order, array }: VineStructure, tree: number): [number, number][] {
  const row = array[tree]!;
  if (tree === 0) return row.map((place, e) => [order[e]!, order[place]!]);
  const least = leastPlaces(array)[tree]!;
  return row.map((_, e) => [e, least[e]!]);
}
