/** What a user of `fitVine` chooses, and what it falls back on. */
import type { RandomStream } from '../../random/stream.ts';
import type { PairFit } from '../fit/fitPair.ts';
import type { Criterion } from '../fit/selectPair.ts';
import type { FamilyId } from '../pairFamily.ts';
import { isFamilyId, PAIR_FAMILIES } from '../registry.ts';
import type { TllDegree } from '../tll/bandwidth.ts';
import type { EdgeTask } from './fitEdge.ts';
import type { VineData, VineStructure } from './vine.ts';

export interface VineSettings {
  /** Candidates of every edge. `itau`: those whose parameters τ gives. Default tll. */
  families?: 'tll' | 'parametric' | 'itau' | 'all' | readonly (FamilyId | 'tll')[];
  /** Default linear. */
  tllDegree?: TllDegree;
  /** Of parametric families. Default mle. */
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

export interface VineHooks {
  /** Chooses rows where there are more than are fitted. Left out: a fixed stream. */
  random?: RandomStream;
  /** After each tree: trees done, trees to do at most. */
  onTree?(done: number, trees: number): Promise<void>;
  /** Between edges: lets others have a turn; throws where the fit shall stop. */
  breathe?(): Promise<void>;
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
const LEAST_FIT_ROWS = 2_000;
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
  const affordable = Math.max(LEAST_FIT_ROWS, Math.min(FIT_ROWS, Math.floor(cells / edges)));
  return Math.min(u[0]!.length, settings.fitRows ?? affordable);
}
