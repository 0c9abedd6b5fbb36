/**
 * Identifiers by their pattern: counted on where they count, else drawn place by place. They are unique where they were,
 * repeat as they did where they were not, and no real one comes out.
 */
import { z } from 'zod';
import { counted, quoted, withCommas } from '../../../domain/table/wording.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { FitTask, FittedModel, JsonValue, Model, SampleTask, TextColumn } from '../model.ts';
import { float64Schema, saveArray } from '../shared/savedArrays.ts';
import { textColumn } from '../shared/textColumn.ts';
import { hashText } from '../text/verbatim.ts';
import { learnPattern, patternSchema } from './learnPattern.ts';
import { learnSequence, sequenceSchema } from './learnSequence.ts';
import { learnRepeats, type Repeats, repeatsSchema, spreadOver } from './repeats.ts';
import { type IdentifierRules, writeIdentifiers } from './writeIdentifiers.ts';

const columnSchema = z.object({
  name: z.string(),
  /** Null where there was no identifier to learn from. */
  model: z
    .object({
      sequence: sequenceSchema.nullable(),
      pattern: patternSchema,
      repeats: repeatsSchema,
      protectedHashes: float64Schema.transform((hashes): ReadonlySet<number> => new Set(hashes)),
    })
    .nullable(),
  identifiers: z.int(),
});
interface FittedColumn {
  name: string;
  model: (IdentifierRules & { repeats: Repeats }) | null;
  identifiers: number;
}
const savedSchema = z.object({ columns: z.array(columnSchema) });

export const identifierPattern: Model = {
  name: 'pattern of identifiers',
  async fit(task) {
    const columns: FittedColumn[] = [];
    for (const name of task.columns) columns.push(await fitColumn(task, name));
    return fitted(columns);
  },
  restore: (saved) => fitted(savedSchema.parse(saved).columns),
};

async function fitColumn(task: FitTask, name: string): Promise<FittedColumn> {
  const cells = textColumn(task.table, name).values.filter((cell): cell is string => cell !== null && cell !== '');
  const ids = [...new Set(cells)];
  await task.report(
    `Identifiers ${quoted(name)}: ${counted(ids.length, 'distinct one')} in ${counted(cells.length, 'cell')}`,
  );
  if (ids.length === 0) return { name, model: null, identifiers: 0 };
  const repeats = learnRepeats(cells);
  const model = {
    sequence: repeats.areAdjacent ? (learnSequence(ids) ?? null) : null,
    pattern: learnPattern(ids),
    repeats,
    protectedHashes: new Set(ids.map((id) => hashText(id.trim()))),
  };
  return { name, model, identifiers: ids.length };
}

function fitted(columns: readonly FittedColumn[]): FittedModel {
  return {
    async sample(task) {
      const out: TextColumn[] = [];
      for (const column of columns) out.push(await sampleColumn(column, task));
      return out;
    },
    save: () => ({ columns: columns.map(saveColumn) }),
    diagnostics: () => ({
      columns: columns.map(({ name, model, identifiers }) => ({
        name,
        identifiers,
        shapes: model?.pattern.shapes.length ?? 0,
        counts_on: Boolean(model?.sequence),
      })),
      notes: columns.flatMap(noteOf),
    }),
  };
}

function noteOf({ name, model }: FittedColumn): string[] {
  if (!model) return [];
  const how = model.sequence ? 'counted on after the last real one' : 'drawn anew in the form of the real ones';
  const often =
    model.repeats.sizes.length === 1 && model.repeats.sizes[0] === 1 ? 'each once' : 'repeated as they were';
  return [`Column ${quoted(name)} holds identifiers: ${how}, ${often}, none of them real.`];
}

async function sampleColumn({ name, model }: FittedColumn, task: SampleTask): Promise<TextColumn> {
  const { rows } = task;
  const random: RandomStream = task.random.child(name);
  if (!model) {
    await task.report(`Identifiers ${quoted(name)}: none in ${counted(rows, 'row')}`);
    return { kind: 'text', name, values: new Array<string | null>(rows).fill(null) };
  }
  const entities = spreadOver(model.repeats, rows, random.child('repeats'));
  const ids = await writeIdentifiers(model, entities.count, random.child('identifiers'), (written) =>
    task.report(`Identifiers ${quoted(name)}: ${withCommas(written)} of ${counted(entities.count, 'distinct one')}`),
  );
  return { kind: 'text', name, values: Array.from(entities.codes, (code) => ids[code]!) };
}

function saveColumn({ name, model, identifiers }: FittedColumn): JsonValue {
  if (!model) return { name, model, identifiers };
  const { sequence, pattern, repeats, protectedHashes } = model;
  return {
    name,
    model: { sequence, pattern, repeats, protectedHashes: saveArray(Float64Array.from(protectedHashes)) },
    identifiers,
  };
}
