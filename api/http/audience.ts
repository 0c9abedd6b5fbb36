import { z } from 'zod';
import { AUDIENCES, type Audience } from '../../packages/contract/report.ts';
import type { ApiContext } from './context.ts';
import { parseQuery } from './input.ts';

export const audienceQuery = z.object({
  for: z
    .enum(AUDIENCES, { error: `must be ${AUDIENCES.join(' or ')}` })
    .default('owner')
    .meta({
      description:
        'sharing: for a job with `privacy`, only what follows from its differentially private measurements and its request, so that it may be handed on; owner, the default: all figures, also those that compare with real rows.',
    }),
});

export const audienceOf = (c: ApiContext): Audience => parseQuery(audienceQuery, c).for;
