/**
 * Continuous columns by a Gaussian copula on empirical margins: normal scores are regressed on the given categories by
 * ridge, a multivariate normal takes what is left, and the sums go back through the margins.
 */
import { z } from 'zod';
import { counted, percent } from '../../../domain/table/wording.ts';
import { fitEmpirical, fitReference } from '../../../numerics/distributions/empirical.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { FitTask, FittedModel, JsonValue, Model, ModelTable, NumericColumn, SampleTask } from '../model.ts';
import { calibrate } from '../shared/calibrate.ts';
import { chunks, isTurn } from '../shared/chunks.ts';
import { designSchema, fitDesign, rowsOf, saveDesign, WIDEST_DESIGN } from '../shared/design.ts';
import { empiricalSchema, float64Schema, saveArray, saveEmpirical } from '../shared/savedArrays.ts';
import { categoryEffects, effectOf } from './categoryEffects.ts';
import { normalScores } from './normalScores.ts';
import { residualSpread } from './residualSpread.ts';

/** Rows simulated to know how the model's scores are distributed: as many, or as these products allow. */
const REFERENCE_ROWS = 20_000;
const LEAST_REFERENCE_ROWS = 1_000;
const REFERENCE_PRODUCTS = 1e9;

const columnSchema = z.object({
  name: z.string(),
  /** Null where no cell had a number. */
  margin: empiricalSchema.nullable(),
  effects: float64Schema,
  /** The model's own scores: they are close to normal, but a sum of effects need not be. */
  reference: empiricalSchema.nullable(),
});
const copulaSchema = z.object({
  design: designSchema,
  columns: z.array(columnSchema),
  factor: float64Schema,
  shrinkage: z.number(),
});
type Copula = z.infer<typeof copulaSchema>;
const savedSchema = z.object({ groups: z.array(copulaSchema) });

/** Columns with one correlation matrix, at most; wider tables have several, each independent of the others. */
const GROUP_COLUMNS = 1_000;
/** Products that the regression on categories may cost over all columns: rows are left out, or levels, to keep to it. */
const GRAM_PRODUCTS = 1e10;
const FACTOR_PRODUCTS = 3e10;

export const gaussianCopula: Model = {
  name: 'Gaussian copula on empirical margins',
  async fit(task) {
    const groups: Copula[] = [];
    for (let from = 0; from < task.columns.length; from += GROUP_COLUMNS) {
      groups.push(await fitCopula(task, task.columns.slice(from, from + GROUP_COLUMNS)));
    }
    return fitted(groups);
  },
  restore: (saved) => fitted(savedSchema.parse(saved).groups),
};

async function fitCopula(task: FitTask, names: readonly string[]): Promise<Copula> {
  const data = names.map((name) => numericColumn(task.table, name));
  const categories = task.given.filter((name) => task.table.columns.get(name)?.kind === 'category');
  const rows = Int32Array.from({ length: task.table.rows }, (_, row) => row);
  const widest = Math.min(WIDEST_DESIGN, Math.floor(Math.cbrt(FACTOR_PRODUCTS / task.columns.length)));
  const design = fitDesign(task.table, categories, rows, widest);
  const products = rows.length * design.parts.length ** 2 * task.columns.length;
  const stride = Math.max(1, Math.ceil(products / GRAM_PRODUCTS));
  const residuals: Float64Array[] = [];
  const columns: Copula['columns'] = [];
  for (const [at, { name, values }] of data.entries()) {
    const scores = normalScores(values, task.random.child('ties').child(name));
    const effects = categoryEffects(design, task.table, scores, stride);
    residuals.push(residualsOf(scores, effects, rowsOf(design, task.table)));
    columns.push({ name, margin: fitEmpirical(values) ?? null, effects, reference: null });
    if (isTurn(at, data.length)) await task.report(`Copula: margins of ${at + 1} of ${counted(data.length, 'column')}`);
  }
  const { factor, shrinkage } = residualSpread(residuals);
  const copula = { design, columns, factor, shrinkage };
  await addReferences(copula, task);
  return copula;
}

function numericColumn(table: ModelTable, name: string): NumericColumn {
  const column = table.columns.get(name);
  if (column?.kind !== 'numeric') throw new RangeError(`no numeric column ${JSON.stringify(name)}`);
  return column;
}

function residualsOf(scores: Float64Array, effects: Float64Array, rowAt: ReturnType<typeof rowsOf>): Float64Array {
  return scores.map((score, row) => (Number.isNaN(score) ? score : score - effectOf(effects, rowAt(row))));
}

/** Simulates scores over the fitted rows and keeps their distribution, column by column. */
async function addReferences(copula: Copula, task: FitTask): Promise<void> {
  if (task.table.rows === 0) return;
  const affordable = Math.floor(REFERENCE_PRODUCTS / copula.columns.length ** 2);
  const rows = Math.max(LEAST_REFERENCE_ROWS, Math.min(REFERENCE_ROWS, affordable));
  const scores = copula.columns.map(() => new Float64Array(rows));
  const random = task.random.child('reference');
  const simulate = simulator(copula, task.table, random);
  const start = random.integer(task.table.rows);
  const stride = Math.max(1, task.table.rows / rows);
  for (let i = 0; i < rows; i++) {
    const one = simulate(Math.floor(start + i * stride) % task.table.rows);
    for (let j = 0; j < one.length; j++) scores[j]![i] = one[j]!;
  }
  copula.columns.forEach((column, j) => {
    column.reference = fitReference(scores[j]!);
  });
  await task.report(
    `Copula: correlations of ${counted(copula.columns.length, 'column')} from ${counted(task.table.rows, 'row')}`,
  );
}

/** A function that draws the scores (d) of one row given its categories. */
function simulator(copula: Copula, table: ModelTable, random: RandomStream): (row: number) => Float64Array {
  const { columns, factor } = copula;
  const d = columns.length;
  const rowAt = rowsOf(copula.design, table);
  const noise = new Float64Array(d);
  const scores = new Float64Array(d);
  return (row) => {
    const given = rowAt(row);
    for (let j = 0; j < d; j++) {
      noise[j] = random.normal();
      let score = effectOf(columns[j]!.effects, given);
      for (let k = 0; k <= j; k++) score += factor[j * d + k]! * noise[k]!;
      scores[j] = score;
    }
    return scores;
  };
}

function fitted(groups: readonly Copula[]): FittedModel {
  return {
    async sample(task) {
      const out: NumericColumn[] = [];
      for (const [at, copula] of groups.entries()) out.push(...(await sample(copula, task, `group ${at}`)));
      return out;
    },
    save: () => ({ groups: groups.map(saveCopula) }),
    diagnostics: () => ({
      columns: groups.reduce((sum, { columns }) => sum + columns.length, 0),
      groups: groups.map(({ design, shrinkage }) => ({
        category_effects: design.width - 1,
        correlation_shrinkage: shrinkage,
      })),
      notes: groups.flatMap(notesOf),
    }),
  };
}

/** Shrinkage that is worth a note. */
const NOTED_SHRINKAGE = 0.001;

function notesOf({ design, columns, shrinkage }: Copula): string[] {
  const notes: string[] = [];
  if (design.leftOut > 0) {
    notes.push(
      `Continuous columns: ${counted(design.leftOut, 'category column')} past the widest regression were left out of it.`,
    );
  }
  if (shrinkage > NOTED_SHRINKAGE) {
    const share = percent(shrinkage);
    notes.push(
      `Correlations of ${counted(columns.length, 'continuous column')} contradicted each other and were drawn ${share} towards zero.`,
    );
  }
  return notes;
}

async function sample(copula: Copula, task: SampleTask, stream: string): Promise<NumericColumn[]> {
  const out = copula.columns.map(({ name }): NumericColumn => {
    return { kind: 'numeric', name, values: new Float64Array(task.rows).fill(Number.NaN) };
  });
  const simulate = simulator(copula, task.made, task.random.child(stream));
  for (const { from, to } of chunks(task.rows)) {
    for (let row = from; row < to; row++) {
      const scores = simulate(row);
      copula.columns.forEach(({ margin, reference }, j) => {
        if (margin && reference) out[j]!.values[row] = calibrate(scores[j]!, reference, margin);
      });
    }
    await task.report(`Continuous columns: ${to} of ${counted(task.rows, 'row')}`);
  }
  return out;
}

function saveCopula(copula: Copula): JsonValue {
  return {
    design: saveDesign(copula.design),
    columns: copula.columns.map(({ name, margin, effects, reference }) => ({
      name,
      margin: margin && saveEmpirical(margin),
      effects: saveArray(effects),
      reference: reference && saveEmpirical(reference),
    })),
    factor: saveArray(copula.factor),
    shrinkage: copula.shrinkage,
  };
}
