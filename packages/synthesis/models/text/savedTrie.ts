import { z } from 'zod';
import { int32Schema } from '../shared/savedArrays.ts';

export const trieSchema = z.object({
  kinds: z.int(),
  order: z.int(),
  parent: int32Schema,
  oldest: int32Schema,
  from: int32Schema,
  symbol: int32Schema,
  cumulative: int32Schema,
});
