import { z } from 'zod';
import type { ProgressEvent } from '../../../../contract/events.ts';
import { TARGET_FAMILIES } from '../../../../contract/families.ts';
import { regressionMetricsSchema } from '../../../../contract/regressionMetrics.ts';
import { takePredictors } from '../../../../numerics/regression/design/applyDesign.ts';
import type { Design } from '../../../../numerics/regression/design/design.ts';
import { restoreDesign } from '../../../../numerics/regression/design/restoreDesign.ts';
import {
  type RegressionProgress,
  type SampledRegression,
  sampleRegression,
} from '../../../../numerics/regression/sampleRegression.ts';
import { drawThreshold, releasable, SURE_ROWS } from '../../../disclosure/thresholds.ts';
import { levelCounts, levelsOf } from '../../categorical/columnOrder.ts';
import { type CategoryColumn, categoryColumn, type FitTask } from '../../model.ts';
import { float32Schema, int32Schema, savedBy } from '../../shared/savedArrays.ts';
import { eventOf, fittedEvent, rareColumns } from '../describeRegression.ts';
import { failureOf, predictorsOf } from '../fitTarget.ts';
import { constantMetrics, describeLabel, together } from './describeLabel.ts';
import { type AskedLevels, askedLevels } from './labelStages.ts';

const metricsSchema = regressionMetricsSchema.extend({ family: z.enum(TARGET_FAMILIES) });

interface Stage {
  family: 'bernoulli';
  designs: (Design | null)[];
  scale: null;
  draws: Float32Array;
  width: number;
}

const stageSchema = z.codec(
  z.object({ design: savedBy(restoreDesign).nullable(), draws: float32Schema, width: z.int() }),
  z.custom<Stage>(),
  {
    decode: ({ design, ...rest }) => ({ family: 'bernoulli' as const, designs: [design], scale: null, ...rest }),
    encode: ({ designs: [design = null], ...rest }) => ({ design, ...rest }),
  },
);

export const labelSchema = z.object({
  name: z.string(),
  given: z.array(z.string()),
  /** Released levels in the order asked. */
  levels: z.array(z.string()),
  suppressed: z.object({ name: z.string(), levels: z.array(z.string()) }),
  calibrated: z.boolean(),
  /** Training rows of each level. */
  rows: int32Schema,
  /** One per level but the last. */
  stages: z.array(stageSchema),
  metrics: savedBy((saved) => metricsSchema.parse(saved)),
});
export type FittedLabel = z.infer<typeof labelSchema>;

/** Fits no regression if fewer than two levels may be released. */
export async function fitLabel(task: FitTask, name: string): Promise<FittedLabel> {
  const { table, settings, onProgress } = task;
  const column = categoryColumn(table, name);
  const { asked, ...levels } = chooseLevels(column, task);
  const given = task.given.filter((other) => table.columns.get(other)?.kind !== 'text');
  const label = { name, given, ...levels, calibrated: settings.calibrate };
  const family = settings.family === 'categorical' || levels.levels.length > 2 ? 'categorical' : 'bernoulli';
  if (levels.levels.length < 2) {
    await onProgress({ stage: 'fit', fact: 'target_constant', column: name, value: null });
    return { ...label, stages: [], metrics: constantMetrics(name, family, label) };
  }
  const sampled = await sampleStages(task, column, asked, given);
  const whole = together(sampled, label.levels, family);
  await onProgress(fittedEvent(name, whole, settings.draws));
  const unnamed = settings.keepRare ? undefined : rareColumns(predictorsOf(table, given), SURE_ROWS);
  const metrics = describeLabel(label, whole, { settings, ordered: asked.ordered, unnamed });
  return { ...label, stages: sampled.map(stageOf), metrics };
}

function chooseLevels(
  column: CategoryColumn,
  { settings, random }: FitTask,
): Pick<FittedLabel, 'levels' | 'rows' | 'suppressed'> & { asked: AskedLevels } {
  const { name, levels } = column;
  const counts = levelCounts(levelsOf(column), levels.length + 1);
  const threshold = settings.keepRare ? 0 : drawThreshold(random.child(name).child('rare levels'));
  const released = releasable(counts, threshold);
  const occurring = [...levels.keys()].filter((code) => counts[code + 1]! > 0);
  const rows = counts.slice(1);
  const asked = askedLevels(
    levels,
    rows,
    occurring.filter((code) => released[code + 1]),
  );
  return {
    asked,
    levels: asked.codes.map((code) => levels[code]!),
    rows: Int32Array.from(asked.codes, (code) => rows[code]!),
    suppressed: { name, levels: occurring.filter((code) => !released[code + 1]).map((code) => levels[code]!) },
  };
}

const stageOf = ({ model: { designs, draws, width } }: SampledRegression): FittedLabel['stages'][number] => ({
  family: 'bernoulli' as const,
  designs: [designs[0] ?? null],
  scale: null,
  draws,
  width,
});

/** Fits each question to the rows of its level and later ones. */
async function sampleStages(
  task: FitTask,
  { name, codes }: CategoryColumn,
  asked: AskedLevels,
  given: readonly string[],
): Promise<SampledRegression[]> {
  const predictors = predictorsOf(task.table, given);
  const { draws, tune, sampler } = task.settings;
  const out: SampledRegression[] = [];
  for (const [k, code] of asked.codes.slice(0, -1).entries()) {
    const left = new Set(asked.codes.slice(k));
    const rows = Int32Array.from(codes.keys()).filter((row) => left.has(codes[row]!));
    const response = Float64Array.from(rows, (row) => (codes[row] === code ? 1 : 0));
    const columns = takePredictors(predictors, rows);
    const run = runOf(task, name, k, asked.codes.length - 1);
    const sampled = sampleRegression({ response, family: 'bernoulli', columns, draws, tune, sampler }, run);
    out.push(
      await sampled.catch((error) => {
        throw failureOf(name, error);
      }),
    );
  }
  return out;
}

const runOf = ({ random, onProgress, yieldToEventLoop }: FitTask, name: string, k: number, all: number) => ({
  random: random.child(name).child(`question ${k}`),
  onProgress: (progress: RegressionProgress) => onProgress(ofQuestion(eventOf(name, 'bernoulli', progress), k, all)),
  yieldToEventLoop,
});

const ofQuestion = (event: ProgressEvent, k: number, all: number): ProgressEvent =>
  all > 1 && 'parameter' in event ? { ...event, parameter: `level ${k + 1} of ${all}` } : event;
