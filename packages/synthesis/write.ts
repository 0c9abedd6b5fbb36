/** Writes the synthetic table as CSV. */

import type { CellFormat, ColumnProfile } from '../contract/columns.ts';
import type { RandomStream } from '../numerics/random/stream.ts';
import { formatCell } from '../tables/format/cellFormat.ts';
import { isMissing } from '../tables/missing.ts';
import { writeCsv } from '../tables/records.ts';
import { type CellColumn, type CellTable, MISSING } from '../tables/table.ts';
import type { ModelColumn, ModelTable } from './models/model.ts';
import type { Plan } from './plan/plan.ts';
import { type PlannedColumn, tokenIn } from './table/modelTable.ts';

export interface WriteTask {
  plan: Plan;
  synthetic: ModelTable;
  random: RandomStream;
}

/** Formats cells as in the real table. `missing` has the text of missing cells, by column. */
export function writtenCells({ plan, synthetic, random }: WriteTask): {
  cells: CellTable;
  missing: ReadonlyMap<string, string>;
} {
  const own = random.child('write');
  const columns = plan.columns.map((planned) => toCells(synthetic, planned, own.child(planned.name)));
  const missing = new Map(plan.columns.map(({ name, profile }) => [name, usualToken(profile)]));
  return { cells: { rows: synthetic.rows, columns }, missing };
}

export async function* writeTable(task: WriteTask, yieldToEventLoop: () => Promise<void>): AsyncGenerator<Uint8Array> {
  const { cells, missing } = writtenCells(task);
  yield* writeCells(cells, yieldToEventLoop, missing);
}

export async function* writeCells(
  cells: CellTable,
  yieldToEventLoop: () => Promise<void>,
  missing?: ReadonlyMap<string, string>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const piece of writeCsv(cells, missing)) {
    await yieldToEventLoop();
    yield encoder.encode(piece);
  }
}

function toCells(table: ModelTable, planned: PlannedColumn, random: RandomStream): CellColumn {
  const column = table.columns.get(planned.name)!;
  const indicator = planned.indicator === null ? undefined : table.columns.get(planned.indicator);
  return withTokens(toTexts(column, planned.format), indicator, planned.profile, random);
}

function toTexts(column: ModelColumn, format: CellFormat | null): CellColumn {
  const { name } = column;
  if (column.kind === 'category') return { name, codes: column.codes.slice(), levels: [...column.levels] };
  if (column.kind === 'text') return { name, ...dictionary(column.values, (text) => text) };
  return {
    name,
    ...dictionary(column.values, (value) => {
      if (Number.isNaN(value)) return null;
      return format ? formatCell(value, format) : String(value);
    }),
  };
}

/**
 * Restores the indicated missing token, or a usual one ("", "NA") in proportion. Leaves MISSING if only one is usual.
 */
function withTokens(
  { name, codes, levels }: CellColumn,
  indicator: ModelColumn | undefined,
  profile: ColumnProfile,
  random: RandomStream,
): CellColumn {
  const usual = usualTokens(profile);
  const cells = usual.reduce((sum, [, count]) => sum + count, 0);
  const added = new Map<string, number>();
  const codeOf = (text: string): number => {
    const code = added.get(text) ?? levels.push(text) - 1;
    added.set(text, code);
    return code;
  };
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] !== MISSING) continue;
    const token = tokenIn(indicator, row) ?? (usual.length > 1 ? drawn(usual, random.integer(cells)) : undefined);
    if (token !== undefined) codes[row] = codeOf(token);
  }
  return { name, codes, levels };
}

const usualTokens = ({ missing_tokens }: ColumnProfile): [string, number][] =>
  missing_tokens.filter(([token, count]) => isMissing(token) && count > 0);

const usualToken = (profile: ColumnProfile): string => {
  const [token] = [...usualTokens(profile).map(([text]) => text), profile.missing_token].filter(isMissing);
  return token ?? '';
};

function drawn(tokens: readonly [string, number][], at: number): string {
  let left = at;
  for (const [token, count] of tokens) {
    if (left < count) return token;
    left -= count;
  }
  return tokens[0]![0];
}

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
