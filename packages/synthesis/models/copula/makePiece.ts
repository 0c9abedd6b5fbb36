/** Rows of the continuous columns from simulated ranks, one column after the other; those of a piece, of which a table has several. */
import { stratifiedMargin } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps } from '../../../numerics/steps.ts';
import { leafFinder } from '../../../numerics/trees/boostedTrees.ts';
import { featuresOf } from '../categorical/features.ts';
import type { ModelColumn, ModelTable } from '../model.ts';
import { drawNumber, type Margin, numberAt, spreadAtoms, uRangeOf } from '../shared/margin.ts';
import { rakeByLevels } from '../shared/savedArrays.ts';
import { hideMissing } from './arrangeColumns.ts';
import { densityDraw, uInBins } from './columnDensity.ts';
import { liftsOf, regressorsOf } from './columnLine.ts';
import { type ColumnTree, uAtRank } from './columnTree.ts';
import { makeEvent } from './events.ts';
import type { MadeColumn } from './fitColumns.ts';
import type { NumbersModel } from './fitNumbers.ts';
import { lifted, liftOf, restoreCorrelations, type ScoresByName, scoreOf, standardScores } from './normalScores.ts';
import { drawRanks } from './rankDependence.ts';

/** Rows to make, n: plain data. */
export interface Piece {
  rows: number;
  /** Those that are made already, n rows each, the columns that the model is given among them. */
  columns: ReadonlyMap<string, ModelColumn>;
  /** The rows stand for the table as a whole. */
  representative: boolean;
}

/** By column, n each. */
export type MadeNumbers = ReadonlyMap<string, Float64Array>;

/** `yieldToEventLoop` throws where the job is to stop. */
export async function makePiece(
  model: NumbersModel,
  { rows, columns, representative }: Piece,
  random: RandomStream,
  yieldToEventLoop: () => Promise<void>,
): Promise<MadeNumbers> {
  const out = new Map<string, Float64Array>();
  const leaders = new Set(model.followers.map(({ of }) => of));
  const ranks = await drawRanks(model.vine, model.made.length, rows, random, yieldToEventLoop);
  const made = new Map<string, ModelColumn>(columns);
  const u = new Map<string, Float64Array>();
  const scores = new Map<string, Float64Array | null>();
  for (const [j, column] of model.made.entries()) {
    const { name, margin, gap } = column;
    const table = { rows, columns: made };
    const drawn = await uAtRanks(column, ranks[j]!, { table, u }, yieldToEventLoop);
    const own = representative ? raked(column, drawn, { table, scores }, random) : drawn;
    u.set(name, own);
    if (representative) scores.set(name, standardScores(own));
    const lattice = random.child('lattice').child(name);
    const values = own.map((each) => drawNumber(margin, each, lattice));
    if (leaders.has(name)) u.set(name, uOfDrawn(margin, own, values));
    out.set(name, values);
    made.set(name, { kind: 'numeric', name, values: hideMissing(values, gap, made) });
    await yieldToEventLoop();
  }
  for (const event of model.events) {
    const { column, u: own } = makeEvent(event, { rows, columns: made }, random.child(event.name));
    out.set(event.name, column.values);
    u.set(event.name, own);
    made.set(event.name, column);
    await yieldToEventLoop();
  }
  for (const { name, margin, of, falls } of model.followers) {
    out.set(
      name,
      u.get(of)!.map((each) => numberAt(margin, falls ? 1 - each : each)),
    );
  }
  return out;
}

/** u of the numbers as they were drawn: a column that follows follows them, not what they were before they were rounded. */
const uOfDrawn = (margin: Margin, u: Float64Array, values: Float64Array): Float64Array =>
  u.map((own, row) => {
    const { from, upTo } = uRangeOf(margin, values[row]!);
    return from < upTo || !margin.lattices ? own : from;
  });

/** u of the cells that will be there, brought to the correlations with other columns, the levels and the margin. */
function raked(
  { name, margin, gap, levels, ties }: MadeColumn,
  drawn: Float64Array,
  { table, scores }: { table: ModelTable; scores: ScoresByName },
  random: RandomStream,
): Float64Array {
  const own = random.child('levels').child(name);
  const there = hideMissing(spreadAtoms(margin, drawn, own), gap, table.columns);
  const onMargin = stratifiedMargin(rakeByLevels(restoreCorrelations(there, ties, scores), levels, table), own);
  return onMargin.map((u, row) => (Number.isNaN(u) ? drawn[row]! : u));
}

/** u of each row, at its rank. */
async function uAtRanks(
  { tree, density }: Pick<MadeColumn, 'tree' | 'density'>,
  ranks: Float64Array,
  { table, u }: { table: ModelTable; u: ReadonlyMap<string, Float64Array> },
  yieldToEventLoop: () => Promise<void>,
): Promise<Float64Array> {
  if (density) return inSteps(uInBins(densityDraw(density, ranks, table, u)), yieldToEventLoop);
  return tree ? uInLeaves(tree, ranks, table, u) : ranks;
}

/** u of each row: at its rank in its leaf, lifted along the leaf's line. */
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
