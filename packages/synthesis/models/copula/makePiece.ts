import { stratifiedMargin } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps } from '../../../numerics/steps.ts';
import { leafFinder } from '../../../numerics/trees/boostedTrees.ts';
import { drawNumber, type Margin, numberAt, spreadAtoms, uRangeOf } from '../../disclosure/margin.ts';
import { featuresOf } from '../categorical/features.ts';
import type { ModelColumn, ModelTable } from '../model.ts';
import { rakeByLevels } from '../shared/savedArrays.ts';
import { hideMissing } from './arrangeColumns.ts';
import { densityDraw, uInBins } from './columnDensity.ts';
import { liftsOf, regressorsOf } from './columnLine.ts';
import { type ColumnTree, uAtRank } from './columnTree.ts';
import type { MadeColumn } from './fitColumns.ts';
import type { NumbersModel } from './fitNumbers.ts';
import { uOfFunction } from './nearFunction.ts';
import { lifted, liftOf, restoreCorrelations, type ScoresByName, scoreOf, standardScores } from './normalScores.ts';
import { drawRanks } from './rankDependence.ts';
import { makeRareValueColumn } from './rareValues.ts';

/** n rows, as plain data. */
export interface Piece {
  rows: number;
  columns: ReadonlyMap<string, ModelColumn>;
  /** Whether rows represent the whole table. */
  representative: boolean;
}

/** n numbers per column. */
export type MadeNumbers = ReadonlyMap<string, Float64Array>;

interface Work extends Piece {
  columns: Map<string, ModelColumn>;
  /** Standard scores are kept if `representative`. */
  u: Map<string, Float64Array>;
  scores: Map<string, Float64Array | null>;
  random: RandomStream;
  yieldToEventLoop(): Promise<void>;
}

/** Throws whatever `yieldToEventLoop` throws to stop the job. */
export async function makePiece(
  { made, events, followers, vine }: NumbersModel,
  piece: Piece,
  random: RandomStream,
  yieldToEventLoop: () => Promise<void>,
): Promise<MadeNumbers> {
  const [columns, u] = [new Map(piece.columns), new Map<string, Float64Array>()];
  const work: Work = { ...piece, columns, u, scores: new Map(), random, yieldToEventLoop };
  const out = new Map<string, Float64Array>();
  const leaders = new Set(followers.map(({ of }) => of));
  const ranks = await drawRanks(vine, made.length, piece.rows, random, yieldToEventLoop);
  for (const [j, column] of made.entries()) {
    out.set(column.name, await makeColumn(column, ranks[j]!, leaders.has(column.name), work));
    await yieldToEventLoop();
  }
  for (const event of events) {
    const { column, u: own } = makeRareValueColumn(event, { rows: piece.rows, columns }, random.child(event.name));
    out.set(event.name, column.values);
    u.set(event.name, own);
    columns.set(event.name, column);
    await yieldToEventLoop();
  }
  for (const { name, margin, of, falls } of followers) {
    out.set(
      name,
      u.get(of)!.map((each) => numberAt(margin, falls ? 1 - each : each)),
    );
  }
  return out;
}

async function makeColumn(
  column: MadeColumn,
  ranks: Float64Array,
  isLeader: boolean,
  { rows, representative, columns, u, scores, random, yieldToEventLoop }: Work,
): Promise<Float64Array> {
  const { name, margin, gap, near } = column;
  const table = { rows, columns };
  const drawn = await uAtRanks(column, ranks, { table, u }, yieldToEventLoop);
  const left = representative ? raked(column, drawn, { table, scores }, random) : drawn;
  const lattice = random.child('lattice').child(name);
  const own = near ? uOfFunction(near, margin, numbersIn(columns, near.of), left, lattice) : left;
  if (representative) scores.set(name, standardScores(own));
  const values = own.map((each) => (near ? numberAt(margin, each) : drawNumber(margin, each, lattice)));
  u.set(name, isLeader ? uOfDrawn(margin, own, values) : own);
  columns.set(name, { kind: 'numeric', name, values: hideMissing(values, gap, columns) });
  return values;
}

const numbersIn = (columns: ReadonlyMap<string, ModelColumn>, names: readonly string[]): Float64Array[] =>
  names.map((name) => {
    const column = columns.get(name);
    if (column?.kind !== 'numeric') throw new RangeError(`no numbers of column ${JSON.stringify(name)}`);
    return column.values;
  });

/** Followers need the u of rounded numbers. */
const uOfDrawn = (margin: Margin, u: Float64Array, values: Float64Array): Float64Array =>
  u.map((own, row) => {
    const { from, upTo } = uRangeOf(margin, values[row]!);
    return from < upTo || !margin.lattices ? own : from;
  });

/** Restores correlations, level quantiles and margin of present cells. */
function raked(
  { name, margin, near, gap, levels, ties }: MadeColumn,
  drawn: Float64Array,
  { table, scores }: { table: ModelTable; scores: ScoresByName },
  random: RandomStream,
): Float64Array {
  const own = random.child('levels').child(name);
  const there = hideMissing(spreadAtoms(near?.margin ?? margin, drawn, own), gap, table.columns);
  const onMargin = stratifiedMargin(rakeByLevels(restoreCorrelations(there, ties, scores), levels, table), own);
  return onMargin.map((u, row) => (Number.isNaN(u) ? drawn[row]! : u));
}

async function uAtRanks(
  { tree, density }: Pick<MadeColumn, 'tree' | 'density'>,
  ranks: Float64Array,
  { table, u }: { table: ModelTable; u: ReadonlyMap<string, Float64Array> },
  yieldToEventLoop: () => Promise<void>,
): Promise<Float64Array> {
  if (density) return inSteps(uInBins(densityDraw(density, ranks, table, u)), yieldToEventLoop);
  return tree ? uInLeaves(tree, ranks, table, u) : ranks;
}

function uInLeaves(
  { given, tree, line, slopes, places }: ColumnTree,
  ranks: Float64Array,
  made: ModelTable,
  before: ReadonlyMap<string, Float64Array>,
): Float64Array {
  const features = featuresOf(given, made);
  const leafOf = leafFinder(tree, features);
  const lifts =
    line &&
    liftsOf(
      line,
      regressorsOf(given, features, (name) => before.get(name)),
      made.rows,
    );
  const along = slopes && before.get(slopes.along);
  return ranks.map((rank, row) => {
    const leaf = leafOf(row);
    const u = uAtRank(places, leaf, rank);
    if (lifts) return lifted(u, lifts[row]!);
    if (!slopes || !along || slopes.slope[leaf] === 0) return u;
    return lifted(u, liftOf(slopes, leaf, scoreOf(along[row]!)));
  });
}
