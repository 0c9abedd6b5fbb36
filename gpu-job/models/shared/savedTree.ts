/** A tree with the bins of its features, as it comes back from JSON. */
import { z } from 'zod';
import type { FeatureBins } from '../../../numerics/trees/binning.ts';
import type { Tree } from '../../../numerics/trees/tree.ts';

export const treeSchema: z.ZodType<{ binning: FeatureBins[]; tree: Tree }> = z.object({
  binning: z.array(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('numeric'), cuts: z.array(z.number()) }),
      z.object({ kind: z.literal('category'), binOfLevel: z.array(z.int()), bins: z.int() }),
    ]),
  ),
  tree: z.object({
    feature: z.array(z.int()),
    bin: z.array(z.int()),
    missingLeft: z.array(z.boolean()),
    left: z.array(z.int()),
    right: z.array(z.int()),
    value: z.array(z.number()),
    leaf: z.array(z.int()),
    leaves: z.int(),
  }),
});
