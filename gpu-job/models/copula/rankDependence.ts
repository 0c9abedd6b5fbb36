/** The vine of the ranks: what ties columns to each other beyond what their trees say. d columns, n rows. */
import { z } from 'zod';
import { restoreVine, saveVine } from '../../../numerics/copula/vine/saveVine.ts';
import { simulateSteps } from '../../../numerics/copula/vine/simulateVine.ts';
import type { SavedVine, Vine } from '../../../numerics/copula/vine/vine.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { FitTask, JsonValue } from '../model.ts';
import { inSteps } from '../shared/inSteps.ts';
import { fitVineInWorkers } from './fitVineInWorkers.ts';

/** Edges of a vine, at most: of very many columns only the first trees are fitted. */
const MOST_EDGES = 1_000;
/** Rows that a vine is worth fitting to. */
const LEAST_ROWS = 20;

const pairSchema = z.object({
  family: z.string(),
  rotation: z.literal([0, 90, 180, 270]),
  parameters: z.array(z.number()),
  grid: z.object({ size: z.int(), values: z.array(z.number()), parameterCount: z.number() }).optional(),
});
const savedVineSchema = z.object({
  order: z.array(z.int()),
  array: z.array(z.array(z.int())),
  pairs: z.array(z.array(pairSchema)),
  fit: z.object({
    rows: z.int(),
    structureRows: z.int(),
    logLikelihood: z.number(),
    parameterCount: z.number(),
    threshold: z.number(),
  }),
});

export const vineSchema = savedVineSchema.transform(
  ({ pairs, ...rest }): Vine =>
    restoreVine({
      ...rest,
      pairs: pairs.map((tree) => tree.map(({ grid, ...pair }) => (grid ? { ...pair, grid } : pair))),
    }),
);

export function saveRankVine(vine: Vine): JsonValue {
  const saved: SavedVine = saveVine(vine);
  return {
    ...saved,
    fit: { ...saved.fit },
    pairs: saved.pairs.map((tree) =>
      tree.map(({ grid, ...pair }) => (grid ? { ...pair, grid: { ...grid } } : { ...pair })),
    ),
  };
}

/** Fits ranks (d of n, NaN where a cell is missing); null where there is nothing to tie. */
export async function fitRanks(ranks: readonly Float64Array[], task: FitTask): Promise<Vine | null> {
  const d = ranks.length;
  if (d < 2 || ranks[0]!.length < LEAST_ROWS) return null;
  const truncation = Math.max(1, Math.min(d - 1, Math.floor(MOST_EDGES / d)));
  return fitVineInWorkers(
    { u: ranks },
    { truncation },
    {
      random: task.random.child('vine'),
      breathe: task.breathe,
      onTree: (done, trees) => reportTree(done, trees, task),
    },
  );
}

async function reportTree(done: number, trees: number, task: FitTask): Promise<void> {
  if (done === trees || done % Math.ceil(trees / 5) === 0) {
    await task.report(`Continuous columns: ${done} of ${trees} trees of the vine fitted`);
  }
}

/** n rows of ranks in (0, 1), column by column; independent ones where there is no vine. `breathe` throws to stop it. */
export const drawRanks = async (
  vine: Vine | null,
  d: number,
  n: number,
  random: RandomStream,
  breathe: () => Promise<void>,
): Promise<Float64Array[]> =>
  vine
    ? inSteps(simulateSteps(vine, n, random), breathe)
    : Array.from({ length: d }, () => Float64Array.from({ length: n }, () => random.uniform()));
