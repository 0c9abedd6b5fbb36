/** What a user of `fitVine` chooses, and what it falls back on. */
import type { RandomStream } from '../../random/stream.ts';
import { conditionOnU, conditionOnV } from '../discrete.ts';
import { type Criterion, fitPair, INDEPENDENT, type PairChoices, type PairFit } from '../fitPair.ts';
import type { PairCopula, PairData } from '../pairCopula.ts';
import type { TllDegree } from '../tll/fitTll.ts';
import { completeRows, Observed, pairData } from './observed.ts';
import type { VineData, VineStructure } from './vine.ts';

/** What a vine is fitted with; each may be left out. */
export interface VineSettings {
  /** Degree of the local polynomials. Default linear: of the three the most likely on held-out rows. */
  tllDegree?: TllDegree;
  /** What says whether an edge is TLL or independent: loglik, aic, bic or mbicv. Default aic. */
  criterion?: Criterion;
  /** Prior probability of dependence in the first tree, ψ₀; in tree t it is ψ₀ᵗ⁺¹ (Nagler, Bumann and Czado, 2019). Default 0.9. */
  psi0?: number;
  /** Dissmann's maximum spanning trees, stars, paths, or trees that are given. Default dissmann. */
  structure?: 'dissmann' | 'cvine' | 'dvine' | VineStructure;
  /** Trees that are fitted; edges of later ones are independent. mbicv: as many as pay by mBICV. Default all. */
  truncation?: number | 'mbicv';
  /** Edges of lower |τ| are independent. mbicv: the one of a few thresholds with the least mBICV. Default 0. */
  threshold?: number | 'mbicv';
  /** Edges whose τ = 0 a test at 5 % does not reject are independent. Default false. */
  independencePretest?: boolean;
  /** Columns that come first in simulation, so that others can be drawn given them. */
  givenFirst?: readonly number[];
  /** Trees are chosen by at most so many rows. Default 30,000. */
  structureRows?: number;
  /** Pair copulas are fitted to at most so many rows. Default 60,000, and fewer where there are very many edges. */
  fitRows?: number;
}

/** What a fit draws from, reports to, and stops by. */
export interface VineHooks {
  /** Chooses rows where there are more than are fitted. Left out: a fixed stream. */
  random?: RandomStream;
  /** After each tree: trees done, trees to do at most. */
  onTree?(done: number, trees: number): Promise<void>;
  /** Between edges: lets others have a turn; throws where the fit shall stop. */
  yieldToEventLoop?(): Promise<void>;
  /** Fits the edges of a tree, by `fitEdge`, wherever it likes; the fits in the tasks' order. Left out: here, in turn. */
  fitEdges?(tasks: readonly EdgeTask[], choices: Choices): Promise<PairFit[]>;
}

export interface Choices extends PairChoices {
  threshold: number;
  independencePretest: boolean;
  structureRows: number;
}

const STRUCTURE_ROWS = 30_000;
const FIT_ROWS = 60_000;
/** Rows × edges of one fit: 60 columns have 1,770 edges and all the rows, 200 columns 5,000 rows. */
const FIT_CELLS = 1.1e8;
const MIN_FIT_ROWS = 2_000;
/** A row of discrete columns takes as long as so many of continuous ones. */
const DISCRETE_COST = 10;

/** Settings of an edge's fit. */
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

/** Rows to fit `trees` trees to, of those there are. */
export function rowsToFit({ u, uBelow }: VineData, trees: number, settings: VineSettings): number {
  const edges = Math.max(1, trees * u.length - (trees * (trees + 1)) / 2);
  const discrete = (uBelow ?? []).filter((below) => below !== null).length / u.length;
  const cells = FIT_CELLS / (1 + (DISCRETE_COST - 1) * discrete);
  const affordable = Math.max(MIN_FIT_ROWS, Math.min(FIT_ROWS, Math.floor(cells / edges)));
  return Math.min(u[0]!.length, settings.fitRows ?? affordable);
}

// Fits the copula of one edge and gives the conditional distributions that the next tree builds on.

/** Fewer rows say nothing about dependence. */
const MIN_ROWS = 5;

/** All that a fit depends on: plain data, so that it can be done in a worker thread. */
export interface EdgeTask {
  /** Rows that have both values. */
  data: PairData;
  /** From 0. */
  tree: number;
  /** Kendall's τ, where it is known: it is where a threshold or a test of τ asks for it. */
  tau: number | undefined;
}

export const edgeTask = (a: Observed, b: Observed, tree: number, tau: number | undefined): EdgeTask => ({
  data: pairData(a, b, completeRows(a, b)),
  tree,
  tau,
});

/** The pair copula of the task's rows: independence where τ, the criterion or too few rows say so, and TLL elsewhere. */
export function fitEdge({ data, tree, tau }: EdgeTask, choices: Choices): PairFit {
  const rows = data.u.length;
  if (rows < MIN_ROWS || (tau !== undefined && isNegligible(tau, rows, choices))) return INDEPENDENT;
  return fitPair(data, { ...choices, psi0: choices.psi0 ** (tree + 1) });
}

const NORMAL_95 = 1.959963984540054;

/** Whether τ is below the threshold, or, where it is tested, within the normal approximation's 95 % of independence. */
function isNegligible(tau: number, rows: number, { threshold, independencePretest }: Choices): boolean {
  const score = Math.abs(tau) * Math.sqrt((9 * rows * (rows - 1)) / (2 * (2 * rows + 5)));
  return Math.abs(tau) < threshold || (independencePretest && score < NORMAL_95);
}

/** F(a | b) where `given` is b, F(b | a) where it is a. */
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
