/** A fitted target, as it is kept and as it is saved. */
import { z } from 'zod';
import { FAMILIES } from '../../../contract/families.ts';
import { regressionMetricsSchema } from '../../../contract/metrics.ts';
import { restoreDesign, restoreScaleGroups } from '../../../numerics/regression/design/restoreDesign.ts';
import { seenColumnSchema } from '../categorical/features.ts';
import type { JsonValue } from '../model.ts';
import { marginSchema, saveMargin } from '../shared/margin.ts';
import {
  empiricalSchema,
  float32Schema,
  float64Schema,
  groupQuantilesSchema,
  levelQuantilesSchema,
  saveArray,
  saveEmpirical,
  saveGroupQuantiles,
  saveLevelQuantiles,
  treeSchema,
} from '../shared/savedArrays.ts';

/** What `restore` throws RangeError for is an issue of the schema. */
const restoredBy = <T>(restore: (saved: unknown) => T) =>
  z.unknown().transform((saved, context): T => {
    try {
      return restore(saved);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'not as it was saved' });
      return z.NEVER;
    }
  });

export const leafQuantilesSchema = z
  .object({ given: z.array(seenColumnSchema), tree: treeSchema, leaves: groupQuantilesSchema })
  .nullable();
type LeafQuantiles = z.infer<typeof leafQuantilesSchema>;

export const targetSchema = z.object({
  name: z.string(),
  family: z.enum(FAMILIES),
  given: z.array(z.string()),
  designs: z.array(restoredBy(restoreDesign).nullable()),
  scale: z
    .object({
      groups: restoredBy(restoreScaleGroups),
      logFactors: float64Schema,
      location: float64Schema,
      meanName: z.string(),
    })
    .nullable(),
  draws: float32Schema,
  width: z.int(),
  /** Predictive draws over the fitted rows, without atoms. */
  reference: empiricalSchema,
  margin: marginSchema,
  levels: levelQuantilesSchema,
  leaves: leafQuantilesSchema,
  metrics: regressionMetricsSchema,
});
export type FittedTarget = z.infer<typeof targetSchema>;
/** What rows are drawn from. */
export type TargetModel = Omit<FittedTarget, 'metrics'>;

/** Plain data as JSON has it. */
export const asJson = (value: object | undefined): JsonValue => (value ? JSON.parse(JSON.stringify(value)) : null);

export function saveTarget(target: FittedTarget): JsonValue {
  const { scale } = target;
  return {
    name: target.name,
    family: target.family,
    given: [...target.given],
    designs: target.designs.map((design) => (design ? asJson(design) : null)),
    scale: scale && {
      groups: asJson(scale.groups),
      logFactors: saveArray(scale.logFactors),
      location: saveArray(scale.location),
      meanName: scale.meanName,
    },
    draws: saveArray(target.draws),
    width: target.width,
    reference: saveEmpirical(target.reference),
    margin: saveMargin(target.margin),
    levels: saveLevelQuantiles(target.levels),
    leaves: saveLeafQuantiles(target.leaves),
    metrics: asJson(target.metrics),
  };
}

export const saveLeafQuantiles = (of: LeafQuantiles): JsonValue =>
  of && {
    given: of.given.map((seen) => ({ ...seen })),
    tree: { binning: of.tree.binning.map((bins) => ({ ...bins })), tree: { ...of.tree.tree } },
    leaves: saveGroupQuantiles(of.leaves),
  };
