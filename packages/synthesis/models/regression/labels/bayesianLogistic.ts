/**
 * Bayesian logistic regression (spline bases, NUTS). Probabilities are raked to level shares unless `calibrate` is
 * false.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../../numerics/random/stream.ts';
import { slicePredictors } from '../../../../numerics/regression/design/applyDesign.ts';
import { stratifiedShares } from '../../../../numerics/regression/predict.ts';
import { counted, quoted } from '../../../../words/wording.ts';
import { rakeClasses } from '../../categorical/classWeights.ts';
import { type CategoryColumn, chunks, type FittedModel, type Model, type SampleTask } from '../../model.ts';
import { asJson } from '../../shared/savedArrays.ts';
import { predictorsOf } from '../fitTarget.ts';
import { type FittedLabel, fitLabel, labelSchema } from './fitLabel.ts';
import { calibrationOn } from './labelCalibration.ts';
import { drawnProbabilities } from './labelStages.ts';

const savedSchema = z.object({ targets: z.array(labelSchema) });

export const bayesianLogistic: Model = {
  name: 'Bayesian logistic regression by NUTS',
  async fit(task) {
    const targets: FittedLabel[] = [];
    for (const name of task.columns) targets.push(await fitLabel(task, name));
    return fitted(targets);
  },
  restore: (saved) => fitted(savedSchema.parse(saved).targets),
};

const fitted = (targets: readonly FittedLabel[]): FittedModel => ({
  async sample(task) {
    const out: CategoryColumn[] = [];
    for (const target of targets) out.push(await drawLabel(target, task));
    return out;
  },
  save: () => savedSchema.encode({ targets: [...targets] }),
  suppressed: () => new Map(targets.map(({ name, suppressed }) => [name, suppressed.levels])),
  assess: (holdout) => asJson(calibrationOn(holdout, targets[0]) ?? undefined),
  diagnostics: () => ({ regression: asJson(targets[0]?.metrics), notes: targets.map(noteOf) }),
});

function noteOf({ name, levels, metrics, suppressed, calibrated }: FittedLabel): string {
  const { family, parameters, rows, summary, label } = metrics;
  const order = label?.ordered ? ' in their order' : '';
  const of = levels.length < 2 ? '' : `, ${counted(levels.length, 'level')}${order}`;
  const rare = suppressed.levels.length;
  const left =
    rare === 0 ? '' : ` ${counted(rare, 'level')} of too few rows ${rare === 1 ? 'is' : 'are'} not released.`;
  const bare = calibrated ? '' : ' Its labels are posterior predictive draws that were not calibrated to the column.';
  return `Target ${quoted(name)}: ${family}${of}, ${counted(parameters, 'parameter')} from ${counted(rows, 'row')}. ${summary}${left}${bare}`;
}

const MAX_RAKED = 4_000_000;

async function drawLabel(target: FittedLabel, task: SampleTask): Promise<CategoryColumn> {
  const { name, levels, given, stages, calibrated } = target;
  const random = task.random.child(name);
  const predictors = predictorsOf(task.made, given);
  const codes = new Int32Array(task.rows).fill(levels.length === 0 ? -1 : 0);
  const parts = Math.ceil((task.rows * levels.length) / MAX_RAKED);
  for (const { from, to } of chunks(task.rows, Math.ceil(task.rows / Math.max(1, parts)))) {
    if (stages.length > 0) {
      const p = drawnProbabilities(stages, slicePredictors(predictors, from, to), to - from, random);
      if (calibrated && task.representative) rakeClasses(p, target.rows);
      drawInto(codes.subarray(from, to), p, random, calibrated);
    }
    await task.onProgress({ stage: 'generate', fact: 'target_drawn', column: name, done: to, total: task.rows });
  }
  return { kind: 'category', name, codes, levels };
}

/** Stratifies calibrated rows of similar probability. */
function drawInto(codes: Int32Array, p: Float64Array, random: RandomStream, stratified: boolean): void {
  const kinds = p.length / codes.length;
  const first = Float64Array.from(codes, (_, row) => p[row * kinds]!);
  const shares = stratified ? stratifiedShares(first, random) : first.map(() => random.uniform());
  for (let row = 0; row < codes.length; row++) {
    let left = shares[row]!;
    let k = 0;
    while (k < kinds - 1 && left >= p[row * kinds + k]!) left -= p[row * kinds + k++]!;
    codes[row] = k;
  }
}
