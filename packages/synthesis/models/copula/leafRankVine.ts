/**
 * Continuous columns by a vine copula of conditional ranks: each column has a regression tree, or a boosted density, given the
 * categories and the columns before it; its rank within the leaf, or in its own distribution, is what the vine correlates with the
 * others'; from simulated ranks the columns are made one by one, back to u and numbers.
 */
import { z } from 'zod';
import { stratifiedMargin } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { leafFinder } from '../../../numerics/trees/boostedTrees.ts';
import { counted } from '../../../words/wording.ts';
import { saveConditional } from '../categorical/conditionalModel.ts';
import { featuresOf } from '../categorical/features.ts';
import {
  chunks,
  type FittedModel,
  type JsonValue,
  type Model,
  type ModelColumn,
  type ModelTable,
  type NumericColumn,
  type SampleTask,
} from '../model.ts';
import {
  CODED_NOTE,
  drawNumber,
  type Margin,
  marginSchema,
  numberAt,
  saveMargin,
  spreadAtoms,
  uRangeOf,
} from '../shared/margin.ts';
import { levelQuantilesSchema, rakeByLevels, saveLevelQuantiles } from '../shared/savedArrays.ts';
import { hideMissing, indicatorSchema } from './arrangeColumns.ts';
import { columnDensitySchema, densityDraw, saveColumnDensity } from './columnDensity.ts';
import { liftsOf, regressorsOf } from './columnLine.ts';
import { type ColumnTree, columnTreeSchema, saveColumnTree, uAtRank } from './columnTree.ts';
import { DrawThreads, threadsFor } from './drawInThreads.ts';
import { eventColumnSchema, makeEvent } from './events.ts';
import type { MadeColumn } from './fitColumns.ts';
import { fitNumbers, type NumbersModel } from './fitNumbers.ts';
import {
  lifted,
  liftOf,
  restoreCorrelations,
  type ScoresByName,
  saveCorrelations,
  scoreCorrelationsSchema,
  scoreOf,
  standardScores,
} from './normalScores.ts';
import { drawRanks, saveRankVine, vineSchema } from './rankDependence.ts';

const savedSchema = z.object({
  names: z.array(z.string()),
  made: z.array(
    z.object({
      name: z.string(),
      margin: marginSchema,
      gap: indicatorSchema.nullable(),
      tree: columnTreeSchema.nullable(),
      density: columnDensitySchema.nullable().default(null),
      levels: levelQuantilesSchema,
      ties: scoreCorrelationsSchema,
    }),
  ),
  events: z.array(eventColumnSchema),
  followers: z.array(z.object({ name: z.string(), margin: marginSchema, of: z.string(), falls: z.boolean() })),
  vine: vineSchema.nullable(),
  learntFrom: z.int(),
});

export const leafRankVine: Model = {
  name: 'vine copula of ranks within the leaves of trees',
  fit: async (task) => fitted(await fitNumbers(task)),
  restore(saved) {
    const { learntFrom: trainingRows, ...model } = savedSchema.parse(saved);
    return fitted({ ...model, trainingRows });
  },
};

const fitted = (model: NumbersModel): FittedModel => ({
  sample: (task) => makeNumbers(model, task),
  save: () => save(model),
  diagnostics: () => ({
    columns: model.made.map(({ name, tree, density }) => ({
      name,
      given: (density ?? tree)?.given.map((seen) => seen.name) ?? [],
      ...(tree && { leaves: tree.tree.tree.leaves, penalty: tree.penalty }),
      ...(density && { bins: density.ends.length, trees: density.trees.roots.length }),
    })),
    events: model.events.map(({ name, link }) => ({
      name,
      given: link.given.map((seen) => seen.name),
      leaves: link.tree.tree.leaves,
      leaf_rows: link.leafRows,
    })),
    followers: model.followers.map(({ name, of }) => ({ name, of })),
    training_rows: model.trainingRows,
    vine_log_likelihood: model.vine?.fit.logLikelihood ?? null,
    notes: notesOf(model),
  }),
});

const save = ({ names, made, events, followers, vine, trainingRows }: NumbersModel): JsonValue => ({
  names: [...names],
  made: made.map(({ name, margin, gap, tree, density, levels, ties }) => ({
    name,
    margin: saveMargin(margin),
    gap: gap && { ...gap },
    tree: tree && saveColumnTree(tree),
    density: density && saveColumnDensity(density),
    levels: saveLevelQuantiles(levels),
    ties: saveCorrelations(ties),
  })),
  events: events.map(({ name, margin, link }) => ({ name, margin: saveMargin(margin), link: saveConditional(link) })),
  followers: followers.map(({ margin, ...rest }) => ({ ...rest, margin: saveMargin(margin) })),
  vine: vine && saveRankVine(vine),
  learntFrom: trainingRows,
});

function notesOf({ made, events, followers }: NumbersModel): string[] {
  const coded = [...made, ...events, ...followers].filter(({ margin }) => margin.coded > 0).length;
  if (coded === 0) return [];
  return [`The largest and smallest numbers of ${counted(coded, 'continuous column')} ${CODED_NOTE}`];
}

// Makes the continuous columns from simulated ranks, one after the other.

async function makeNumbers(model: NumbersModel, task: SampleTask): Promise<NumericColumn[]> {
  const { yieldToEventLoop = async () => {} } = task;
  const densities = model.made.flatMap(({ density }) => density ?? []);
  const threads = new DrawThreads(threadsFor(densities, task.rows), yieldToEventLoop);
  try {
    return await makeInPieces(model, { ...task, yieldToEventLoop }, threads);
  } finally {
    await threads.close();
  }
}

async function makeInPieces(
  model: NumbersModel,
  task: SampleTask & Required<Pick<SampleTask, 'yieldToEventLoop'>>,
  threads: DrawThreads,
): Promise<NumericColumn[]> {
  const { yieldToEventLoop } = task;
  const out = new Map(
    model.names.map((name) => [
      name,
      { kind: 'numeric' as const, name, values: new Float64Array(task.rows).fill(Number.NaN) },
    ]),
  );
  const leaders = new Set(model.followers.map(({ of }) => of));
  for (const { from, to } of chunks(task.rows)) {
    const random = task.random.child(`rows from ${from}`);
    const ranks = await drawRanks(model.vine, model.made.length, to - from, random, yieldToEventLoop);
    const made = new Map<string, ModelColumn>(rowsBetween(task.made, from, to));
    const u = new Map<string, Float64Array>();
    const scores = new Map<string, Float64Array | null>();
    for (const [j, { name, margin, gap, ...conditional }] of model.made.entries()) {
      const table = { rows: to - from, columns: made };
      const drawn = await uAtRanks(conditional, ranks[j]!, { table, u }, threads);
      const own = task.representative ? raked(model.made[j]!, drawn, { table, scores }, random) : drawn;
      u.set(name, own);
      if (task.representative) scores.set(name, standardScores(own));
      const lattice = random.child('lattice').child(name);
      const values = own.map((each) => drawNumber(margin, each, lattice));
      if (leaders.has(name)) u.set(name, uOfDrawn(margin, own, values));
      out.get(name)!.values.set(values, from);
      made.set(name, { kind: 'numeric', name, values: hideMissing(values, gap, made) });
      await yieldToEventLoop();
    }
    for (const event of model.events) {
      const { column, u: own } = makeEvent(event, { rows: to - from, columns: made }, random.child(event.name));
      out.get(event.name)!.values.set(column.values, from);
      u.set(event.name, own);
      made.set(event.name, column);
      await yieldToEventLoop();
    }
    for (const { name, margin, of, falls } of model.followers) {
      const own = u.get(of)!;
      out.get(name)!.values.set(
        own.map((each) => numberAt(margin, falls ? 1 - each : each)),
        from,
      );
    }
    await task.onProgress({ stage: 'generate', fact: 'numbers_drawn', done: to, total: task.rows });
  }
  return model.names.map((name) => out.get(name)!);
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
  threads: DrawThreads,
): Promise<Float64Array> {
  if (density) return threads.draw(densityDraw(density, ranks, table, u));
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

function rowsBetween(table: ModelTable, from: number, to: number): [string, ModelColumn][] {
  return [...table.columns].map(([name, column]) => {
    if (column.kind === 'category') return [name, { ...column, codes: column.codes.subarray(from, to) }];
    if (column.kind === 'numeric') return [name, { ...column, values: column.values.subarray(from, to) }];
    return [name, { ...column, values: column.values.slice(from, to) }];
  });
}
