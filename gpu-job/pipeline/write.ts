/** write: the synthetic table as the CSV that is downloaded, and the fitted models beside it. */
import { modelKey, resultKey } from '../../domain/job/objectKeys.ts';
import type { ObjectStore } from '../../domain/ports.ts';
import { formatNumber } from '../../domain/table/numberFormat.ts';
import { type CellColumn, MISSING } from '../../domain/table/table.ts';
import { writeCsv } from '../../domain/table/writeCsv.ts';
import type { ModelColumn, ModelTable } from '../models/model.ts';
import { MODELS } from '../models/registry.ts';
import type { FittedRole } from './fit.ts';
import type { Plan, PlannedColumn } from './plan.ts';

export interface WriteTask {
  objects: ObjectStore;
  jobId: string;
  attempt: number;
  plan: Plan;
  table: ModelTable;
  breathe(): Promise<void>;
}

/** Puts the table as CSV: the plan's columns, numbers and missing cells written as the upload had them. */
export async function writeResult({
  objects,
  jobId,
  attempt,
  plan,
  table,
  breathe,
}: WriteTask): Promise<{ bytes: number }> {
  const columns = plan.columns.map((planned) => toCells(table.columns.get(planned.name)!, planned));
  const missing = new Map(plan.columns.map(({ name, profile }) => [name, profile.missing_token]));
  const pieces = writeCsv({ rows: table.rows, columns }, missing);
  return objects.put(resultKey(jobId, attempt), encoded(pieces, breathe));
}

/** Puts what each model saved, by role and by the model's name. */
export async function writeModels(
  objects: ObjectStore,
  jobId: string,
  attempt: number,
  models: readonly FittedRole[],
): Promise<void> {
  const saved = models.map(({ role, fitted }) => ({
    role,
    name: MODELS[role].name,
    diagnostics: fitted.diagnostics(),
    model: fitted.save(),
  }));
  await objects.put(modelKey(jobId, attempt), new TextEncoder().encode(JSON.stringify({ models: saved })));
}

async function* encoded(pieces: Iterable<string>, breathe: WriteTask['breathe']): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const piece of pieces) {
    await breathe();
    yield encoder.encode(piece);
  }
}

function toCells(column: ModelColumn, planned: PlannedColumn): CellColumn {
  const { name } = column;
  if (column.kind === 'category') return { name, codes: column.codes, levels: [...column.levels] };
  if (column.kind === 'text') return { name, ...dictionary(column.values, (text) => text) };
  const format = planned.profile.numbers?.format;
  return {
    name,
    ...dictionary(column.values, (value) => {
      if (Number.isNaN(value)) return null;
      return format ? formatNumber(value, format) : String(value);
    }),
  };
}

/** Codes and distinct texts of values; null gives a missing cell. */
function dictionary<T>(values: ArrayLike<T>, textOf: (value: T) => string | null): Omit<CellColumn, 'name'> {
  const codes = new Int32Array(values.length);
  const known = new Map<T, number>();
  const levels: string[] = [];
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    let code = known.get(value);
    if (code === undefined) {
      const text = textOf(value);
      code = text === null ? MISSING : levels.push(text) - 1;
      known.set(value, code);
    }
    codes[row] = code;
  }
  return { codes, levels };
}
