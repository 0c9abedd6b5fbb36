/** What a user of `fitVine` chooses, and what it falls back on. */
import type { RandomStream } from '../../random/stream.ts';
import { conditionOnU, conditionOnV } from '../discrete.ts';
import { fitPair, type PairFit } from '../fitPair.ts';
import type { PairCopula, PairData } from '../pairCopula.ts';
import { type FamilyId, isFamilyId, makePair, PAIR_FAMILIES } from '../registry.ts';
import { type Criterion, selectPair } from '../selectPair.ts';
import type { TllDegree } from '../tll/fitTll.ts';
import { completeRows, Observed, pairData } from './observed.ts';
import type { VineData, VineStructure } from './vine.ts';

/** What a vine is fitted with; each may be left out. */
export interface VineSettings {
  /** Candidates of every edge. `itau`: those whose parameters τ gives. Default tll. */
  families?: 'tll' | 'parametric' | 'itau' | 'all' | readonly (FamilyId | 'tll')[];
  /** Default linear. */
  tllDegree?: TllDegree;
  /** How parametric families are fitted. Default mle. */
  method?: 'mle' | 'itau';
  /** Default aic. */
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
  /** Families are chosen by at most so many rows, among those of the structure. Default 10,000. */
  familyRows?: number;
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

export interface Choices {
  families: readonly (FamilyId | 'tll')[];
  tllDegree: TllDegree;
  method: 'mle' | 'itau';
  criterion: Criterion;
  psi0: number;
  threshold: number;
  independencePretest: boolean;
  structureRows: number;
  familyRows: number;
}

const TAU_FAMILIES: readonly FamilyId[] = ['gaussian', 'student', 'clayton', 'gumbel', 'frank', 'joe'];
const STRUCTURE_ROWS = 30_000;
const FAMILY_ROWS = 10_000;
const FIT_ROWS = 60_000;
/** Rows × edges of one fit: 60 columns have 1,770 edges and all the rows, 200 columns 5,000 rows. */
const FIT_CELLS = 1.1e8;
const MIN_FIT_ROWS = 2_000;
/** A row of discrete columns takes as long as so many of continuous ones. */
const DISCRETE_COST = 10;

/** Settings of an edge's fit. Throws RangeError for a list without families or with an unknown one. */
export function choicesOf(settings: VineSettings, threshold: number): Choices {
  const structureRows = Math.max(1, settings.structureRows ?? STRUCTURE_ROWS);
  return {
    families: familyList(settings.families ?? 'tll'),
    tllDegree: settings.tllDegree ?? 'linear',
    method: settings.method ?? 'mle',
    criterion: settings.criterion ?? 'aic',
    psi0: settings.psi0 ?? 0.9,
    threshold,
    independencePretest: settings.independencePretest ?? false,
    structureRows,
    familyRows: Math.min(structureRows, Math.max(1, settings.familyRows ?? FAMILY_ROWS)),
  };
}

function familyList(families: NonNullable<VineSettings['families']>): readonly (FamilyId | 'tll')[] {
  const parametric = Object.keys(PAIR_FAMILIES).filter(isFamilyId);
  if (families === 'tll') return ['tll'];
  if (families === 'itau') return TAU_FAMILIES;
  if (families === 'parametric') return parametric;
  if (families === 'all') return [...parametric, 'tll'];
  const unknown = families.find((name) => name !== 'tll' && !isFamilyId(name));
  if (families.length === 0 || unknown !== undefined) {
    throw new RangeError(
      `a vine's pair copulas come from ${parametric.join(', ')} and tll; ${unknown ?? 'an empty list'} is not among them`,
    );
  }
  return families;
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
  /** Kendall's τ, where it is known. */
  tau: number | undefined;
}

export const edgeTask = (a: Observed, b: Observed, tree: number, tau: number | undefined): EdgeTask => ({
  data: pairData(a, b, completeRows(a, b)),
  tree,
  tau,
});

/** The pair copula of the task's pair, chosen by its first rows and fitted to all. */
export function fitEdge({ data, tree, tau }: EdgeTask, choices: Choices): PairFit {
  if (data.u.length < MIN_ROWS || (tau !== undefined && Math.abs(tau) < choices.threshold)) return independent();
  // Where there is one family, there is nothing that a fit to few rows would save.
  const few = choices.families.length === 1 ? data : firstRows(data, choices.familyRows);
  const { method, criterion, tllDegree, families, independencePretest } = choices;
  const chosen = selectPair(few, {
    ...{ method, criterion, tllDegree, families, independencePretest },
    psi0: choices.psi0 ** (tree + 1),
    ...(tau === undefined ? {} : { tau }),
  });
  if (few === data || chosen.pair.family === 'independence') return chosen;
  const { family, rotation } = chosen.pair;
  return isFamilyId(family) ? fitPair(data, family, { method, rotation }) : fitPair(data, 'tll', { tllDegree });
}

const independent = (): PairFit => ({ pair: makePair('independence', 0, []), logLikelihood: 0 });

function firstRows(data: PairData, rows: number): PairData {
  if (data.u.length <= rows) return data;
  const first = (side: Float64Array | null) => side?.subarray(0, rows) ?? null;
  return {
    u: data.u.subarray(0, rows),
    v: data.v.subarray(0, rows),
    uBelow: first(data.uBelow),
    vBelow: first(data.vBelow),
  };
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
