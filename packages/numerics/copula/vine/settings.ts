import type { RandomStream } from '../../random/stream.ts';
import { conditionOnU, conditionOnV } from '../discrete.ts';
import { type Criterion, fitPair, INDEPENDENT, type PairChoices, type PairFit } from '../fitPair.ts';
import type { PairCopula, PairData } from '../pairCopula.ts';
import type { TllDegree } from '../tll/fitTll.ts';
import { completeRows, Observed, pairData } from './observed.ts';
import type { VineData, VineStructure } from './vine.ts';

/** Settings of a vine fit; all are optional. */
export interface VineSettings {
  /** Degree of local polynomials. Default linear. */
  tllDegree?: TllDegree;
  /** Selects TLL or independence. Default aic. */
  criterion?: Criterion;
  /**
   * Prior probability of dependence in the first tree; ψ₀ᵗ⁺¹ in tree t (Nagler, Bumann and Czado 2019). Default 0.9.
   */
  psi0?: number;
  /** Dissmann's maximum spanning trees, stars, paths or given trees. Default dissmann. */
  structure?: 'dissmann' | 'cvine' | 'dvine' | VineStructure;
  /** Number of fitted trees, or chosen by mBICV. Default all. */
  truncation?: number | 'mbicv';
  /** Minimum |τ| of dependent edges, or chosen by mBICV. Default 0. */
  threshold?: number | 'mbicv';
  /** Tests τ = 0 at 5 %. Default false. */
  independencePretest?: boolean;
  /** Columns simulated first, so that others can be drawn given them. */
  givenFirst?: readonly number[];
  /** Maximum rows for choosing trees. Default 30,000. */
  structureRows?: number;
  /** Maximum rows for pairs. Default 60,000, fewer with many edges. */
  fitRows?: number;
}

/** Randomness, progress and cancellation of a vine fit. */
export interface VineHooks {
  /** Samples rows. Defaults to a fixed stream. */
  random?: RandomStream;
  /** Called after each tree with the number done and the maximum. */
  onTree?(done: number, trees: number): Promise<void>;
  /** Called between edges; throws to stop. */
  yieldToEventLoop?(): Promise<void>;
  /** Fits edges in task order. Defaults to this thread. */
  fitEdges?(tasks: readonly EdgeTask[], choices: Choices): Promise<PairFit[]>;
}

export interface Choices extends PairChoices {
  threshold: number;
  independencePretest: boolean;
  structureRows: number;
}

const STRUCTURE_ROWS = 30_000;
const FIT_ROWS = 60_000;
/** Maximum rows × edges: 60 columns use all rows, 200 use 5,000. */
const FIT_CELLS = 1.1e8;
const MIN_FIT_ROWS = 2_000;
/** Relative cost of a discrete row. */
const DISCRETE_COST = 10;

export function choicesOf(settings: VineSettings, threshold: number): Choices {
  return {
    tllDegree: settings.tllDegree ?? 'linear',
    criterion: settings.criterion ?? 'aic',
    psi0: settings.psi0 ?? 0.9,
    threshold,
    independencePretest: settings.independencePretest ?? false,
    structureRows: Math.max(1, settings.structureRows ?? STRUCTURE_ROWS),
  };
}

export function rowsToFit({ u, uBelow }: VineData, trees: number, settings: VineSettings): number {
  const edges = Math.max(1, trees * u.length - (trees * (trees + 1)) / 2);
  const discrete = (uBelow ?? []).filter((below) => below !== null).length / u.length;
  const cells = FIT_CELLS / (1 + (DISCRETE_COST - 1) * discrete);
  const affordable = Math.max(MIN_FIT_ROWS, Math.min(FIT_ROWS, Math.floor(cells / edges)));
  return Math.min(u[0]!.length, settings.fitRows ?? affordable);
}

const MIN_ROWS = 5;

/** Plain data for worker threads. */
export interface EdgeTask {
  data: PairData;
  tree: number;
  tau: number | undefined;
}

export const edgeTask = (a: Observed, b: Observed, tree: number, tau: number | undefined): EdgeTask => ({
  data: pairData(a, b, completeRows(a, b)),
  tree,
  tau,
});

export function fitEdge({ data, tree, tau }: EdgeTask, choices: Choices): PairFit {
  const rows = data.u.length;
  if (rows < MIN_ROWS || (tau !== undefined && isNegligible(tau, rows, choices))) return INDEPENDENT;
  return fitPair(data, { ...choices, psi0: choices.psi0 ** (tree + 1) });
}

const NORMAL_95 = 1.959963984540054;

function isNegligible(tau: number, rows: number, { threshold, independencePretest }: Choices): boolean {
  const score = Math.abs(tau) * Math.sqrt((9 * rows * (rows - 1)) / (2 * (2 * rows + 5)));
  return Math.abs(tau) < threshold || (independencePretest && score < NORMAL_95);
}

/** F(a | b) if `given` is b, else F(b | a). */
export function conditional(pair: PairCopula, a: Observed, b: Observed, given: 'a' | 'b'): Observed {
  const target = given === 'a' ? b : a;
  const rows = completeRows(a, b);
  if (pair.family === 'independence' && rows === null) return target;
  const condition = given === 'a' ? conditionOnU : conditionOnV;
  const { at, below } = condition(pair, pairData(a, b, rows));
  if (rows === null) return new Observed(at, below);
  const scatter = (values: Float64Array) => {
    const out = new Float64Array(a.at.length).fill(Number.NaN);
    for (let i = 0; i < rows.length; i++) out[rows[i]!] = values[i]!;
    return out;
  };
  return new Observed(scatter(at), below === null ? null : scatter(below));
}
