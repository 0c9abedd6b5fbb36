/** measure: the metrics of a synthetic table, on a holdout or by cross-fitting. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import { type AllMeasures, measureAll } from '../metrics/measureAll.ts';
import type { CrossFit } from '../metrics/parts.ts';
import type { ModelTable } from '../models/model.ts';
import type { SequencePlan } from '../methods/entities/sequencePlan.ts';
import { fitModels } from '../methods/rows/fitRows.ts';
import { generateTable } from '../methods/rows/generateRows.ts';
import { type Split, targetsOf } from '../methods/rows/holdOut.ts';
import { forFigures, measureRolesOf, type Plan } from '../plan/plan.ts';
import type { Progress } from '../progress.ts';

/** When models are fitted again, to parts of the rows, to be measured by the others. */
export interface CrossFits {
  /** If no rows were held out. */
  withoutHoldout: boolean;
  /** For the attacks, if few were. */
  attacks: boolean;
}

export interface MeasureInput {
  plan: Plan;
  /** All real rows, in the order of the file. */
  real: ModelTable;
  split: Split;
  synthetic: ModelTable;
  random: RandomStream;
  progress: Progress;
  crossFits: CrossFits;
  /** Of a table whose rows belong together. */
  sequences?: SequencePlan | null;
}

/** Targets that must be there, so that no fold's models are left without one. */
const MIN_CROSS_FIT_TARGETS = 20;

export async function measure({
  plan,
  real,
  split,
  synthetic,
  random,
  progress,
  crossFits,
  sequences = null,
}: MeasureInput): Promise<AllMeasures> {
  const roles = measureRolesOf(plan);
  const { train, holdout } = split;
  const canCrossFit =
    crossFits.withoutHoldout && holdout === null && targetsOf(train, roles.target) >= MIN_CROSS_FIT_TARGETS;
  return measureAll({
    train,
    holdout,
    synthetic,
    real,
    roles,
    family: plan.settings.family,
    ...(sequences && { entities: { key: sequences.key, constants: new Set(sequences.constants) } }),
    crossFit: canCrossFit ? crossFitter(plan, random, progress) : null,
    attackFit: crossFits.attacks && holdout ? crossFitter(plan, random.child('attacked'), progress) : null,
    random: random.child('figures'),
    ...progress,
  });
}

/** Models of some of the rows, and rows of theirs; without texts, which no figure of cross-fitting reads, and without conditions. */
function crossFitter(plan: Plan, random: RandomStream, progress: Progress): CrossFit {
  const part = forFigures(plan);
  return async (trainRows, rows, fold) => {
    const stream = random.child(`fold ${fold}`);
    const { yieldToEventLoop } = progress;
    const models = await fitModels(part, trainRows, stream.child('fit'), {
      onProgress: yieldToEventLoop,
      yieldToEventLoop,
    });
    return generateTable(part, models, rows, stream.child('generate'), yieldToEventLoop);
  };
}
