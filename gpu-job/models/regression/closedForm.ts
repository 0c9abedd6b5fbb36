/**
 * The target by Bayesian linear regression in closed form on the family's link scale: one posterior draw a row, the
 * predictive draws calibrated to the target's real margin (their order is kept, their values are the margin's quantiles).
 */
import { z } from 'zod';
import { JobError } from '../../../domain/errors.ts';
import { counted, percent, quoted } from '../../../domain/table/wording.ts';
import { fitEmpirical, fitReference } from '../../../numerics/distributions/empirical.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { FitTask, FittedModel, JsonValue, Model, ModelColumn, NumericColumn, SampleTask } from '../model.ts';
import { calibrate } from '../shared/calibrate.ts';
import { chunks } from '../shared/chunks.ts';
import { type DesignRow, designSchema, fitDesign, rowsOf, saveDesign } from '../shared/design.ts';
import { gramOf, independentColumns } from '../shared/gram.ts';
import { empiricalSchema, float32Schema, saveArray, saveEmpirical } from '../shared/savedArrays.ts';
import { linkName, toLinkScale } from './link.ts';
import { drawPosterior, fitPosterior } from './posterior.ts';

/** Predictive draws behind the calibration, at least. */
const REFERENCE_DRAWS = 10_000;

const targetSchema = z.object({
  name: z.string(),
  design: designSchema,
  /** Draws of (β, σ), row by row, `design.width + 1` wide. */
  draws: float32Schema,
  /** Predictive draws over the fitted rows, on the link scale. */
  reference: empiricalSchema,
  margin: empiricalSchema,
  diagnostics: z.object({
    family: z.string(),
    link: z.string(),
    rows: z.int(),
    coefficients: z.int(),
    dropped: z.int(),
    draws: z.int(),
    bayes_r2: z.number(),
  }),
});
type FittedTarget = z.infer<typeof targetSchema>;
const savedSchema = z.object({ targets: z.array(targetSchema) });

export const closedFormRegression: Model = {
  name: 'Bayesian linear regression in closed form',
  async fit(task) {
    const targets: FittedTarget[] = [];
    for (const name of task.columns) targets.push(await fitTarget(task, name));
    return fitted(targets);
  },
  restore: (saved) => fitted(savedSchema.parse(saved).targets),
};

async function fitTarget(task: FitTask, name: string): Promise<FittedTarget> {
  const column = task.table.columns.get(name);
  if (column?.kind !== 'numeric') throw new RangeError(`no numeric column ${JSON.stringify(name)}`);
  const { rows, values } = observed(column);
  if (rows.length === 0) {
    throw new JobError(
      'invalid_data',
      `The target ${JSON.stringify(name)} has no number in any of ${column.values.length} rows. Choose another target_col.`,
    );
  }
  const family = task.settings.family ?? 'gaussian';
  const y = standardised(toLinkScale(values, family, name));
  const design = fitDesign(task.table, task.given, rows);
  const rowAt = rowsOf(design, task.table);
  const gram = gramOf(rowAt, rows, y, design.width);
  const columns = independentColumns(gram);
  await task.report(
    `Regression of ${quoted(name)}: ${counted(columns.length, 'coefficient')} from ${counted(rows.length, 'row')}`,
  );
  const posterior = fitPosterior(gram, columns);
  const random = task.random.child(name);
  const draws = drawPosterior(posterior, task.settings.draws, design.width, random.child('posterior'));
  const reference = fitReference(referenceDraws(rowAt, rows, draws, design.width, random.child('reference')));
  return {
    name,
    design,
    draws,
    reference,
    margin: fitEmpirical(values)!,
    diagnostics: {
      family,
      link: linkName(family),
      rows: rows.length,
      coefficients: columns.length,
      dropped: design.width - columns.length,
      draws: task.settings.draws,
      bayes_r2: rSquared(y, posterior.rate / posterior.shape),
    },
  };
}

function observed(column: NumericColumn): { rows: Int32Array; values: Float64Array } {
  const rows: number[] = [];
  column.values.forEach((value, row) => {
    if (Number.isFinite(value)) rows.push(row);
  });
  return { rows: Int32Array.from(rows), values: Float64Array.from(rows, (row) => column.values[row]!) };
}

/** Mean 0 and standard deviation 1; a constant becomes zeros. The margin brings the scale back. */
function standardised(y: Float64Array): Float64Array {
  const mean = y.reduce((sum, value) => sum + value, 0) / y.length;
  const sd = Math.sqrt(y.reduce((sum, value) => sum + (value - mean) ** 2, 0) / y.length);
  return sd > 0 && Number.isFinite(sd) ? y.map((value) => (value - mean) / sd) : new Float64Array(y.length);
}

/** Share of the standardised response's variance that the residual variance leaves, from below bounded by 0. */
const rSquared = (y: Float64Array, residual: number): number =>
  Math.max(0, 1 - residual / Math.max(1e-300, y.reduce((sum, value) => sum + value * value, 0) / y.length));

/** One predictive draw: a random posterior draw's line, and its noise. */
function predictive(row: DesignRow, draws: Float32Array, width: number, random: RandomStream): number {
  const base = random.integer(draws.length / (width + 1)) * (width + 1);
  let eta = 0;
  for (let i = 0; i < row.count; i++) eta += draws[base + row.at[i]!]! * row.values[i]!;
  return eta + draws[base + width]! * random.normal();
}

function referenceDraws(
  rowAt: (row: number) => DesignRow,
  rows: Int32Array,
  draws: Float32Array,
  width: number,
  random: RandomStream,
): Float64Array {
  const passes = Math.ceil(REFERENCE_DRAWS / rows.length);
  const out = new Float64Array(rows.length * passes);
  for (let i = 0; i < out.length; i++) out[i] = predictive(rowAt(rows[i % rows.length]!), draws, width, random);
  return out;
}

function fitted(targets: FittedTarget[]): FittedModel {
  return {
    async sample(task) {
      const out: ModelColumn[] = [];
      for (const target of targets) out.push(await sampleTarget(target, task));
      return out;
    },
    save: () => ({ targets: targets.map(saveTarget) }),
    diagnostics: () => ({
      targets: targets.map(({ name, diagnostics }) => ({ name, ...diagnostics })),
      notes: targets.flatMap(notesOf),
    }),
  };
}

function notesOf({ name, design, diagnostics }: FittedTarget): string[] {
  const { coefficients, bayes_r2: share, link } = diagnostics;
  const fit = `Target ${quoted(name)}: ${counted(coefficients, 'coefficient')} explain ${percent(share)} of the variance on the ${link} scale (Bayesian R²).`;
  if (design.leftOut === 0) return [fit];
  return [
    fit,
    `Target ${quoted(name)}: ${counted(design.leftOut, 'column')} past the widest regression were left out of it.`,
  ];
}

async function sampleTarget(target: FittedTarget, task: SampleTask): Promise<NumericColumn> {
  const { design, draws, reference, margin } = target;
  const rowAt = rowsOf(design, task.made);
  const random = task.random.child(target.name);
  const values = new Float64Array(task.rows);
  for (const { from, to } of chunks(task.rows)) {
    for (let row = from; row < to; row++) {
      values[row] = calibrate(predictive(rowAt(row), draws, design.width, random), reference, margin);
    }
    await task.report(`Target ${quoted(target.name)}: ${to} of ${counted(task.rows, 'row')}`);
  }
  return { kind: 'numeric', name: target.name, values };
}

function saveTarget(target: FittedTarget): JsonValue {
  return {
    name: target.name,
    design: saveDesign(target.design),
    draws: saveArray(target.draws),
    reference: saveEmpirical(target.reference),
    margin: saveEmpirical(target.margin),
    diagnostics: target.diagnostics,
  };
}
