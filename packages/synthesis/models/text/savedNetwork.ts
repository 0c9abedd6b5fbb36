import { z } from 'zod';
import type { JsonValue } from '../model.ts';
import { float32Schema, saveArray } from '../shared/savedArrays.ts';
import type { FittedNetwork } from './fitNetwork.ts';
import { lengthsSchema } from './lengths.ts';
import { punctuationSchema } from './punctuation.ts';
import { saveTrie, trieSchema } from './savedTrie.ts';
import { spellingSchema } from './spelling.ts';

const conditionSchema = z.discriminatedUnion('kind', [
  z.object({ name: z.string(), kind: z.literal('levels'), levels: z.array(z.string()) }),
  z.object({ name: z.string(), kind: z.literal('bins'), edges: z.array(z.number()) }),
]);

const size = z.int().min(1);

export const networkSchema = z.object({
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
      bitsPerCharacter: z
        .number()
        .nullable()
        .transform((bits) => bits ?? Number.NaN),
    }),
  ),
});

export function saveNetwork({
  form,
  pieces,
  architecture,
  base,
  parameters,
  tokensARow,
  sampling,
  columns,
}: FittedNetwork): JsonValue {
  return {
    form: {
      conditions: form.conditions.map((one) =>
        one.kind === 'levels' ? { ...one, levels: [...one.levels] } : { ...one, edges: [...one.edges] },
      ),
      columns: [...form.columns],
    },
    pieces: [...pieces],
    architecture: { ...architecture },
    base,
    parameters: saveArray(parameters),
    tokensARow,
    sampling: { ...sampling },
    columns: columns.map(({ mixture, longest, lengths, punctuation, spelling, bitsPerCharacter }) => ({
      mixture: mixture && { trie: saveTrie(mixture.trie), shares: [...mixture.shares] },
      longest,
      lengths: { ...lengths, edges: [...lengths.edges], shares: [...lengths.shares] },
      punctuation: { following: punctuation.following.map((own) => [...own]) },
      spelling: spelling && { ...spelling },
      bitsPerCharacter: Number.isNaN(bitsPerCharacter) ? null : bitsPerCharacter,
    })),
  };
}
