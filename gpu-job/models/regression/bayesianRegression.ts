/**
 * The target by Bayesian regression: a design that bends, NUTS, posterior predictive draws, and those carried over to the
 * target's margin (their order is kept, their values are the margin's quantiles), so that heaps and caps come back, and no
 * one's largest or smallest number.
 */
import { z } from 'zod';
import { FAMILIES } from '../../../domain/schema/families.ts';
import { regressionMetricsSchema } from '../../../domain/schema/regressionMetrics.ts';
import { counted, quoted } from '../../../domain/table/wording.ts';
import { cdf } from '../../../numerics/distributions/empirical.ts';
import { familyOf } from '../../../numerics/distributions/families.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { restoreDesign, restoreScaleGroups } from '../../../numerics/regression/design/restoreDesign.ts';
import type { FittedModel, JsonValue, Model, ModelColumn, ModelTable, NumericColumn, SampleTask } from '../model.ts';
import { chunks } from '../shared/chunks.ts';
import { levelQuantilesSchema, rakePlaces, saveLevelQuantiles } from '../shared/levelQuantiles.ts';
import { marginSchema, numberAt, saveMargin, WITHHELD_NOTE } from '../shared/margin.ts';
import { empiricalSchema, float32Schema, float64Schema, saveArray, saveEmpirical } from '../shared/savedArrays.ts';
import { CANDIDATES, drawsAt, evenAmongLike } from './evenDraws.ts';
import { fitTarget } from './fitTarget.ts';
import { leafQuantilesSchema, rakeLeaves, saveLeafQuantiles } from './leafQuantiles.ts';
import { eachPredictive, withoutAtoms } from './predictive.ts';

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

const targetSchema = z.object({
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
const savedSchema = z.object({ targets: z.array(targetSchema) });

export const bayesianRegression: Model = {
  name: 'Bayesian regression by NUTS',
  async fit(task) {
    const targets: FittedTarget[] = [];
    for (const name of task.columns) targets.push(await fitTarget(task, name));
    return fitted(targets);
  },
  restore: (saved) => fitted(savedSchema.parse(saved).targets),
};

function fitted(targets: FittedTarget[]): FittedModel {
  return {
    async sample(task) {
      const out: ModelColumn[] = [];
      for (const target of targets) out.push(await sampleTarget(target, task));
      return out;
    },
    save: () => ({ targets: targets.map(saveTarget) }),
    diagnostics: () => ({ regression: asJson(targets[0]?.metrics), notes: targets.map(noteOf) }),
  };
}

function noteOf({ name, metrics, margin }: FittedTarget): string {
  const { family, parameters, rows, summary } = metrics;
  const withheld = margin.withheld.length === 0 ? '' : ` Its largest and smallest numbers ${WITHHELD_NOTE}`;
  return `Target ${quoted(name)}: ${family}, ${counted(parameters, 'parameter')} from ${counted(rows, 'row')}. ${summary}${withheld}`;
}

async function sampleTarget(target: FittedTarget, task: SampleTask): Promise<NumericColumn> {
  const random = task.random.child(target.name);
  const places = new Float64Array(task.rows);
  for (const { from, to } of chunks(task.rows, 20_000)) {
    places.set(placesBetween(target, task.made, from, to, random), from);
    await task.report(`Target ${quoted(target.name)}: ${to} of ${counted(task.rows, 'row')}`);
  }
  const own = task.representative ? rakeTarget(target, places, task.made) : places;
  return { kind: 'numeric', name: target.name, values: own.map((place) => numberAt(target.margin, place)) };
}

/** Predictive draws of the rows `from` … `to` - 1, as places among those of the fit. */
function placesBetween(
  target: FittedTarget,
  made: ModelTable,
  from: number,
  to: number,
  random: RandomStream,
): Float64Array {
  const family = familyOf(target.family);
  const means = new Float64Array(to - from);
  const candidates = new Float64Array((to - from) * CANDIDATES);
  eachPredictive(target, made, from, to, random, (row, eta) => {
    means[row - from] = family.mean(eta);
    const first = (row - from) * CANDIDATES;
    for (let k = first; k < first + CANDIDATES; k++) {
      candidates[k] = withoutAtoms(family, family.draw(eta, random), random);
    }
  });
  const draws = drawsAt(candidates, evenAmongLike(means, random));
  return draws.map((draw) => cdf(target.reference, draw));
}

/** Leaves last: they tell most of the target. */
const rakeTarget = ({ levels, leaves }: FittedTarget, places: Float64Array, made: ModelTable): Float64Array =>
  rakeLeaves(rakePlaces(places, levels, made), leaves, made);

/** Plain data as JSON has it. */
const asJson = (value: object | undefined): JsonValue => (value ? JSON.parse(JSON.stringify(value)) : null);

function saveTarget(target: FittedTarget): JsonValue {
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
