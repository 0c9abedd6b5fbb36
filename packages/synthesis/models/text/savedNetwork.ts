import { z } from 'zod';
import type { JsonValue } from '../model.ts';
import { float32Schema } from '../shared/savedArrays.ts';
import type { FittedNetwork } from './fitNetwork.ts';
import { lengthsSchema } from './lengths.ts';
import { punctuationSchema } from './punctuation.ts';
import { trieSchema } from './savedTrie.ts';
import { spellingSchema } from './spelling.ts';

const conditionSchema = z.discriminatedUnion('kind', [
  z.object({ name: z.string(), kind: z.literal('levels'), levels: z.array(z.string()) }),
  z.object({ name: z.string(), kind: z.literal('bins'), edges: z.array(z.number()) }),
]);

const size = z.int().min(1);

export const networkSchema: z.ZodType<FittedNetwork, JsonValue> = z.object({
  form: z.object({ conditions: z.array(conditionSchema), columns: z.array(z.string()) }),
  pieces: z.array(z.string()),
  architecture: z.object({
    width: size,
    layers: size,
    heads: size,
    keyHeads: size,
    headWidth: size,
    hidden: size,
    ropeBase: z.number(),
    epsilon: z.number(),
  }),
  base: z.string().nullable(),
  parameters: float32Schema,
  tokensARow: z.number(),
  sampling: z.object({ temperature: z.number().positive(), nucleus: z.number().positive() }),
  columns: z.array(
    z.object({
      mixture: z.object({ trie: trieSchema, shares: z.array(z.number()) }).nullable(),
      longest: size,
      lengths: lengthsSchema,
      /** Absent in earlier versions. */
      punctuation: punctuationSchema.default({ following: [] }),
      spelling: spellingSchema.nullable().default(null),
      bitsPerCharacter: z.codec(z.number().nullable(), z.custom<number>(), {
        decode: (bits) => bits ?? Number.NaN,
        encode: (bits) => (Number.isNaN(bits) ? null : bits),
      }),
    }),
  ),
});
