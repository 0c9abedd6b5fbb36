import { z } from 'zod';
import type { JsonValue } from '../model.ts';
import { int32Schema, saveArray } from '../shared/savedArrays.ts';
import type { CharacterTrie } from './characterTrie.ts';

export const trieSchema = z.object({
  kinds: z.int(),
  order: z.int(),
  parent: int32Schema,
  oldest: int32Schema,
  from: int32Schema,
  symbol: int32Schema,
  cumulative: int32Schema,
});

export const saveTrie = ({ kinds, order, parent, oldest, from, symbol, cumulative }: CharacterTrie): JsonValue => ({
  kinds,
  order,
  parent: saveArray(parent),
  oldest: saveArray(oldest),
  from: saveArray(from),
  symbol: saveArray(symbol),
  cumulative: saveArray(cumulative),
});
