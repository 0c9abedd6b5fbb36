/**
 * Models continuous columns by a vine copula of conditional ranks, each within a tree leaf or a boosted density given
 * earlier columns.
 */
import { z } from 'zod';
import { streamAt } from '../../../numerics/random/createStream.ts';
import type { StreamOrigin } from '../../../numerics/random/stream.ts';
import { counted } from '../../../words/wording.ts';
import { CODED_NOTE, marginSchema } from '../../disclosure/margin.ts';
import { runTasks, threadsWorth } from '../../tasks/runTasks.ts';
import type { Run, Task } from '../../tasks/task.ts';
import {
  chunks,
  type FittedModel,
  type Model,
  type ModelColumn,
  type NumericColumn,
  type Rows,
  type SampleTask,
} from '../model.ts';
import { levelQuantilesSchema } from '../shared/savedArrays.ts';
import { indicatorSchema } from './arrangeColumns.ts';
import { columnDensitySchema } from './columnDensity.ts';
import { columnTreeSchema } from './columnTree.ts';
import { fitNumbers, type NumbersModel } from './fitNumbers.ts';
import { type MadeNumbers, makePiece, type Piece } from './makePiece.ts';
import { nearFunctionSchema } from './nearFunction.ts';
import { scoreCorrelationsSchema } from './normalScores.ts';
import { vineSchema } from './rankDependence.ts';
import { rareValueColumnSchema } from './rareValues.ts';

const savedSchema = z.object({
  names: z.array(z.string()),
  made: z.array(
    z.object({
      name: z.string(),
      margin: marginSchema,
      gap: indicatorSchema.nullable(),
      near: nearFunctionSchema.nullable().default(null),
      tree: columnTreeSchema.nullable(),
      density: columnDensitySchema.nullable().default(null),
      levels: levelQuantilesSchema,
      ties: scoreCorrelationsSchema,
    }),
  ),
  events: z.array(rareValueColumnSchema),
  followers: z.array(z.object({ name: z.string(), of: z.string(), falls: z.boolean(), margin: marginSchema })),
  vine: vineSchema.nullable(),
  learntFrom: z.int(),
});

const numbersSchema = z.codec(savedSchema, z.custom<NumbersModel>(), {
  decode: ({ learntFrom, ...model }) => ({ ...model, trainingRows: learntFrom }),
  encode: ({ trainingRows, ...model }) => ({ ...model, learntFrom: trainingRows }),
});

export const leafRankVine: Model = {
  name: 'vine copula of ranks within the leaves of trees',
  fit: async (task) => fitted(await fitNumbers(task)),
  restore: (saved) => fitted(restoreNumbers(saved)),
};

/** Throws ZodError if `saved` is not a saved model. */
export const restoreNumbers = (saved: unknown): NumbersModel => numbersSchema.parse(saved);

const fitted = (model: NumbersModel): FittedModel => ({
  sample: (task) => makeNumbers(model, task),
  save: () => numbersSchema.encode(model),
  diagnostics: () => ({
    columns: model.made.map(({ name, near, tree, density }) => ({
      name,
      given: (density ?? tree)?.given.map((seen) => seen.name) ?? [],
      ...(near && { near_function_of: near.of }),
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

function notesOf({ made, events, followers }: NumbersModel): string[] {
  const coded = [...made, ...events, ...followers].filter(({ margin }) => margin.coded > 0).length;
  if (coded === 0) return [];
  return [`The largest and smallest numbers of ${counted(coded, 'continuous column')} ${CODED_NOTE}`];
}

// Each piece has its own random stream, so threads do not change the result.

export interface PieceOrder {
  piece: Piece;
  random: StreamOrigin;
}

const pieceMaker =
  (model: NumbersModel): Run<PieceOrder, MadeNumbers> =>
  ({ piece, random }, { yieldToEventLoop }) =>
    makePiece(model, piece, streamAt(random), yieldToEventLoop);

export const drawNumbers = {
  name: 'drawNumbers',
  work: 'draws',
  cost: { seconds: { number: 1e-6, walk: 1e-8 }, fewestOrders: 2 },
  open: (saved: unknown) => pieceMaker(restoreNumbers(saved)),
} satisfies Task<PieceOrder, MadeNumbers>;

async function makeNumbers(model: NumbersModel, task: SampleTask): Promise<NumericColumn[]> {
  const out = model.names.map((name) => ({ name, values: new Float64Array(task.rows).fill(Number.NaN) }));
  const pieces = [...chunks(task.rows)];
  const orders = pieces.map((rows) => () => ({
    piece: pieceOf(task, rows),
    random: task.random.child(`rows from ${rows.from}`).origin,
  }));
  let done = 0;
  await runTasks(drawNumbers, orders, {
    threads: task.threads ?? threadsFor(model, pieces.length, task.rows),
    sent: () => numbersSchema.encode(model),
    here: pieceMaker(model),
    yieldToEventLoop: async () => task.yieldToEventLoop?.(),
    take: async (values, at) => {
      const { from, to } = pieces[at]!;
      for (const own of out) own.values.set(values.get(own.name) ?? [], from);
      done += to - from;
      await task.onProgress({ stage: 'generate', fact: 'numbers_drawn', done, total: task.rows });
    },
  });
  return out.map((own) => ({ kind: 'numeric', ...own }));
}

function threadsFor({ made }: NumbersModel, pieces: number, rows: number): number {
  const trees = made.reduce((sum, { density }) => sum + (density?.trees.roots.length ?? 0), 0);
  return threadsWorth(drawNumbers, { number: rows * made.length, walk: rows * trees }, pieces);
}

function pieceOf({ made, representative }: SampleTask, { from, to }: Rows): Piece {
  const columns = [...made.columns.values()].flatMap((column): [string, ModelColumn][] => {
    if (column.kind === 'text') return [];
    const own =
      column.kind === 'category'
        ? { ...column, codes: column.codes.subarray(from, to) }
        : { ...column, values: column.values.subarray(from, to) };
    return [[column.name, own]];
  });
  return { rows: to - from, columns: new Map(columns), representative: representative === true };
}
