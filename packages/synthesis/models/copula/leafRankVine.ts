/**
 * Models continuous columns by a vine copula of conditional ranks, each within a tree leaf or a boosted density given
 * earlier columns.
 */
import { z } from 'zod';
import type { RandomStream, StreamOrigin } from '../../../numerics/random/stream.ts';
import { shareArrays, watched } from '../../../numerics/workers.ts';
import { counted } from '../../../words/wording.ts';
import { CODED_NOTE, marginSchema } from '../../disclosure/margin.ts';
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
import { ThreadPool, threadsWorth } from '../shared/threadPool.ts';
import { indicatorSchema } from './arrangeColumns.ts';
import { columnDensitySchema } from './columnDensity.ts';
import { columnTreeSchema } from './columnTree.ts';
import { eventColumnSchema } from './events.ts';
import { fitNumbers, type NumbersModel } from './fitNumbers.ts';
import { type MadeNumbers, makePiece, type Piece } from './makePiece.ts';
import { nearFunctionSchema } from './nearFunction.ts';
import { scoreCorrelationsSchema } from './normalScores.ts';
import { vineSchema } from './rankDependence.ts';

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
  events: z.array(eventColumnSchema),
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

const ENTRY = new URL('./pieceWorker.ts', import.meta.url);
const SECONDS_A_NUMBER = 1e-6;
const SECONDS_A_TREE = 1e-8;

export interface PieceOrder {
  piece: Piece;
  random: StreamOrigin;
}

async function makeNumbers(model: NumbersModel, task: SampleTask): Promise<NumericColumn[]> {
  const { yieldToEventLoop = async () => {} } = task;
  const out = model.names.map((name) => ({ name, values: new Float64Array(task.rows).fill(Number.NaN) }));
  const pieces = [...chunks(task.rows)];
  const streamOf = ({ from }: Rows): RandomStream => task.random.child(`rows from ${from}`);
  let done = 0;
  const take = async ({ from, to }: Rows, values: MadeNumbers): Promise<void> => {
    for (const own of out) own.values.set(values.get(own.name) ?? [], from);
    done += to - from;
    await task.onProgress({ stage: 'generate', fact: 'numbers_drawn', done, total: task.rows });
  };
  const count = task.threads ?? threadsFor(model, pieces.length, task.rows);
  if (count === 0) {
    for (const rows of pieces) {
      await take(rows, await makePiece(model, pieceOf(task, rows), streamOf(rows), yieldToEventLoop));
    }
  } else {
    const pool = new ThreadPool<PieceOrder, MadeNumbers>({
      entry: ENTRY,
      count,
      work: 'draws',
      workerData: numbersSchema.encode(model),
    });
    try {
      const made = pool.each(pieces, async (rows, ask) => {
        await take(rows, await ask({ piece: shareArrays(pieceOf(task, rows)), random: streamOf(rows).origin }));
      });
      await watched(made, yieldToEventLoop);
    } finally {
      await pool.close();
    }
  }
  return out.map((own) => ({ kind: 'numeric', ...own }));
}

function threadsFor({ made }: NumbersModel, pieces: number, rows: number): number {
  const trees = made.reduce((sum, { density }) => sum + (density?.trees.roots.length ?? 0), 0);
  const seconds = rows * (made.length * SECONDS_A_NUMBER + trees * SECONDS_A_TREE);
  return pieces === 1 ? 0 : threadsWorth(seconds, pieces);
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
