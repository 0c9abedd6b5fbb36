/** Saves number arrays as base64 of little-endian bytes, which keeps every bit. */
import { z } from 'zod';
import type { AssociationModel } from '../../../numerics/association/associationModel.ts';
import type { Empirical } from '../../../numerics/distributions/empirical.ts';
import { type FeatureLevels, type GroupQuantiles, rakeLevels } from '../../../numerics/raking/raking.ts';
import type { FeatureBins } from '../../../numerics/trees/features.ts';
import type { Tree } from '../../../numerics/trees/tree.ts';
import { classesOf, type SeenColumn, seenColumnSchema } from '../categorical/features.ts';
import type { JsonValue, ModelTable } from '../model.ts';

type NumberArray = Float64Array | Float32Array | Int32Array | Uint8Array;

export function saveArray(array: NumberArray): string {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');
}

function bytesOf(text: string, entryBytes: number): ArrayBuffer | undefined {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return bytes.length % entryBytes === 0 ? bytes.buffer : undefined;
}

const arraySchema = <T>(entryBytes: number, make: (bytes: ArrayBuffer) => T) =>
  z.base64().transform((text, context): T => {
    const bytes = bytesOf(text, entryBytes);
    if (bytes) return make(bytes);
    context.addIssue({ code: 'custom', message: `not a whole number of ${entryBytes}-byte entries` });
    return z.NEVER;
  });

export const float64Schema = arraySchema<Float64Array>(8, (bytes) => new Float64Array(bytes));
export const float32Schema = arraySchema<Float32Array>(4, (bytes) => new Float32Array(bytes));
export const int32Schema = arraySchema<Int32Array>(4, (bytes) => new Int32Array(bytes));

export function saveEmpirical(of: Empirical): JsonValue {
  return { shape: of.shape, values: saveArray(of.values), upTo: saveArray(of.upTo) };
}

export const empiricalSchema = z.object({
  shape: z.enum(['steps', 'line']),
  values: float64Schema,
  upTo: float64Schema,
});

export const groupQuantilesSchema = z.object({ groups: int32Schema, quantiles: float64Schema });

export const saveGroupQuantiles = ({ groups, quantiles }: GroupQuantiles): JsonValue => ({
  groups: saveArray(groups),
  quantiles: saveArray(quantiles),
});

export const binningSchema: z.ZodType<FeatureBins[]> = z.array(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('numeric'), cuts: z.array(z.number()) }),
    z.object({ kind: z.literal('category'), binOfLevel: z.array(z.int()), bins: z.int() }),
  ]),
);

const nodesSchema: z.ZodType<Tree> = z.object({
  feature: z.array(z.int()),
  bin: z.array(z.int()),
  missingLeft: z.array(z.boolean()),
  left: z.array(z.int()),
  right: z.array(z.int()),
  value: z.array(z.number()),
  leaf: z.array(z.int()),
  leaves: z.int(),
});

export const treeSchema: z.ZodType<{ binning: FeatureBins[]; tree: Tree }> = z.object({
  binning: binningSchema,
  tree: nodesSchema,
});

export const associationSchema = z.object({
  classes: z.int(),
  binning: binningSchema,
  features: z.array(z.int()),
  base: float64Schema,
  terms: z.array(z.object({ of: z.int(), u: float64Schema, v: float64Schema, theta: z.number() })),
  never: z.array(z.object({ of: z.int(), bin: z.int(), one: z.int() })),
});

export const saveAssociation = ({ classes, binning, features, base, terms, never }: AssociationModel): JsonValue => ({
  classes,
  binning: binning.map((bins) => ({ ...bins })),
  features: [...features],
  base: saveArray(base),
  terms: terms.map(({ of, u, v, theta }) => ({ of, u: saveArray(u), v: saveArray(v), theta })),
  never: never.map((pair) => ({ ...pair })),
});

/** Groups are the classes of `classesOf`. */
export const levelQuantilesSchema = z.array(z.object({ seen: seenColumnSchema, levels: groupQuantilesSchema }));
export type LevelQuantiles = z.infer<typeof levelQuantilesSchema>;

export const byColumn = (levels: readonly FeatureLevels[], seen: readonly SeenColumn[]): LevelQuantiles =>
  levels.map(({ feature, levels: own }) => ({ seen: seen[feature]!, levels: own }));

/** Rakes u to each level's quantiles, one category after another; NaN stays. Rows must represent the table. */
export function rakeByLevels(u: Float64Array, of: LevelQuantiles, table: ModelTable): Float64Array {
  const raked = u.slice();
  for (const { seen, levels } of [...of].reverse()) {
    const column = table.columns.get(seen.name);
    if (seen.levels !== null && column?.kind === 'category') rakeLevels(raked, classesOf(column, seen.levels), levels);
  }
  return raked;
}

export const saveLevelQuantiles = (of: LevelQuantiles): JsonValue =>
  of.map(({ seen, levels }) => ({ seen: { ...seen }, levels: saveGroupQuantiles(levels) }));
