/** Codecs of what several models save. */
import { z } from 'zod';
import { type FeatureLevels, rakeLevels } from '../../../numerics/raking/raking.ts';
import type { FeatureBins } from '../../../numerics/trees/features.ts';
import type { Tree } from '../../../numerics/trees/tree.ts';
import { classesOf, type SeenColumn, seenColumnSchema } from '../categorical/features.ts';
import type { JsonValue, ModelTable } from '../model.ts';

type NumberArray = Float64Array | Float32Array | Int32Array;

/** Base64 of little-endian bytes, which keeps every bit. */
const arraySchema = <T extends NumberArray>(Kind: { new (bytes: ArrayBuffer): T; BYTES_PER_ELEMENT: number }) =>
  z.codec(z.base64(), z.custom<T>(), {
    decode(text, { issues }): T {
      const bytes = new Uint8Array(Buffer.from(text, 'base64'));
      if (bytes.length % Kind.BYTES_PER_ELEMENT === 0) return new Kind(bytes.buffer);
      const message = `not a whole number of ${Kind.BYTES_PER_ELEMENT}-byte entries`;
      issues.push({ code: 'custom', message, input: text });
      return z.NEVER;
    },
    encode: ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  });

export const float64Schema = arraySchema<Float64Array>(Float64Array);
export const float32Schema = arraySchema<Float32Array>(Float32Array);
export const int32Schema = arraySchema<Int32Array>(Int32Array);

export const hashesSchema = z.codec(float64Schema, z.custom<ReadonlySet<number>>(), {
  decode: (hashes) => new Set(hashes),
  encode: (hashes) => Float64Array.from(hashes),
});

export const byColumnSchema = <T>(schema: z.ZodType<T, JsonValue>) =>
  z.codec(z.array(z.tuple([z.string(), schema])), z.custom<ReadonlyMap<string, T>>(), {
    decode: (entries) => new Map(entries),
    encode: (byColumn) => [...byColumn],
  });

/** What `save` made, read by `restore`, whose errors become issues. */
export const savedBy = <T>(restore: (saved: unknown) => T, save: (restored: T) => JsonValue = asJson) =>
  z.codec(z.custom<JsonValue>(), z.custom<T>(), {
    decode(saved, { issues }): T {
      try {
        return restore(saved);
      } catch (error) {
        const message = error instanceof Error ? error.message : 'not as it was saved';
        issues.push({ code: 'custom', message, input: saved });
        return z.NEVER;
      }
    },
    encode: save,
  });

export const asJson = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value ?? null));

export const empiricalSchema = z.object({
  shape: z.enum(['steps', 'line']),
  values: float64Schema,
  upTo: float64Schema,
});

export const groupQuantilesSchema = z.object({ groups: int32Schema, quantiles: float64Schema });

export const binningSchema: z.ZodType<FeatureBins[], JsonValue> = z.array(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('numeric'), cuts: z.array(z.number()) }),
    z.object({ kind: z.literal('category'), binOfLevel: z.array(z.int()), bins: z.int() }),
  ]),
);

const nodesSchema: z.ZodType<Tree, JsonValue> = z.object({
  feature: z.array(z.int()),
  bin: z.array(z.int()),
  missingLeft: z.array(z.boolean()),
  left: z.array(z.int()),
  right: z.array(z.int()),
  value: z.array(z.number()),
  leaf: z.array(z.int()),
  leaves: z.int(),
});

export const treeSchema = z.object({ binning: binningSchema, tree: nodesSchema });

export const associationSchema = z.object({
  classes: z.int(),
  binning: binningSchema,
  features: z.array(z.int()),
  base: float64Schema,
  terms: z.array(z.object({ of: z.int(), u: float64Schema, v: float64Schema, theta: z.number() })),
  never: z.array(z.object({ of: z.int(), bin: z.int(), one: z.int() })),
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
