/**
 * Models entities' rows as sequences: their number given constants, then each column given constants, place, the row
 * so far and earlier rows, by boosting.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { counted, countedRoughly, quoted } from '../../../words/wording.ts';
import type { JsonValue, ModelColumn, ModelTable } from '../model.ts';
import { numberClassesSchema } from './cellClasses.ts';
import { type CategoryModel, columnModelSchema, drawCells } from './columnModel.ts';
import { type Asked, pastNow } from './features.ts';
import { ColumnHistory } from './history.ts';

export interface SequenceColumn {
  name: string;
  /** Earlier category whose first level marks present cells. */
  indicator: string | null;
  /** Forces drawing changes. */
  isChange: boolean;
  days: { units: number; allowed: boolean[] } | null;
  /** Previous level × level; null allows all. */
  follows: Uint8Array | null;
  /** Running total of parts; the first row draws an opening value. */
  parts: readonly { name: string; sign: 1 | -1 }[] | null;
}

const columnSchema = z.object({
  name: z.string(),
  indicator: z.string().nullable(),
  kind: z.enum(['numeric', 'category']),
  levels: z.array(z.string()),
  isIndicator: z.boolean(),
  decimals: z.number().nullable(),
  parts: z.array(z.object({ name: z.string(), sign: z.union([z.literal(1), z.literal(-1)]) })).nullable(),
  model: columnModelSchema,
});
export type Column = z.infer<typeof columnSchema>;

const savedSequenceSchema = z.object({
  lengths: z.object({ classes: numberClassesSchema, model: columnModelSchema }),
  columns: z.array(columnSchema),
});
export type SequenceModel = z.infer<typeof savedSequenceSchema>;

export interface FittedSequence {
  /** Row counts, one per entity. */
  lengths(constants: ModelTable, random: RandomStream): Int32Array;
  begin(constants: ModelTable, lengths: Int32Array): SequenceRun;
  /** In drawing order. */
  names: readonly string[];
  save(): JsonValue;
  suppressed(): ReadonlyMap<string, readonly string[]>;
  notes: readonly string[];
}

export interface SequenceRun {
  draw(entities: Int32Array, random: RandomStream): ModelColumn[];
  accept(entities: Int32Array, columns: ReadonlyMap<string, ModelColumn>): void;
}

export const restoreSequence = (saved: unknown): FittedSequence => fitted(savedSequenceSchema.parse(saved));

export function fitted(model: SequenceModel): FittedSequence {
  return {
    lengths: (constants, random) => drawLengths(model, constants, random),
    begin: (constants, lengths) => begin(model, constants, lengths),
    names: model.columns.map(({ name }) => name),
    save: () => savedSequenceSchema.encode(model),
    suppressed: () =>
      new Map(
        model.columns.flatMap(({ name, model: own }) =>
          own.kind === 'category' ? [[name, suppressedOf(own)] as const] : [],
        ),
      ),
    notes: model.columns.flatMap(({ model: own }) => (own.kind === 'category' ? noteOf(own) : [])),
  };
}

const suppressedOf = ({ classes }: CategoryModel): string[] =>
  classes.levels.filter((_, level) => classes.classOf[level + 1]! >= 0 && classes.weights[level + 1] === 0);

function noteOf(own: CategoryModel): string[] {
  const levels = suppressedOf(own).length;
  if (levels === 0) return [];
  return [
    `${counted(levels, 'level')} of column ${quoted(own.name)}, in ${countedRoughly(own.classes.withheld, 'row')}, had too few entities to be released and were replaced by other levels. Set keep_rare to keep them.`,
  ];
}

function drawLengths({ lengths }: SequenceModel, constants: ModelTable, random: RandomStream): Int32Array {
  const none = new Float64Array(constants.rows).fill(Number.NaN);
  const cells = drawCells(lengths.model, { ...ofEntities(constants), past: () => none }, random);
  return Int32Array.from(cells, (cell) => Math.max(1, Math.round(cell)));
}

function begin({ columns }: SequenceModel, constants: ModelTable, lengths: Int32Array): SequenceRun {
  const histories = new Map(columns.map(({ name, kind }) => [name, new ColumnHistory(kind, constants.rows)]));
  const rowsBefore = new Int32Array(constants.rows);
  return {
    draw(entities, random) {
      const row = new Map<string, Float64Array>();
      const asked: Asked = {
        entities,
        constants,
        row,
        past: pastNow(histories, entities),
        position: Float64Array.from(entities, (entity) => rowsBefore[entity]!),
        left: Float64Array.from(entities, (entity) => lengths[entity]! - 1 - rowsBefore[entity]!),
      };
      for (const column of columns) row.set(column.name, cellsIn(column, asked, random.child(column.name)));
      return columns.map((column) => toColumn(column, row.get(column.name)!));
    },
    accept(entities, made) {
      for (const { name, kind, levels } of columns) {
        const history = histories.get(name)!;
        const column = made.get(name)!;
        const cells =
          kind === 'category'
            ? classesIn(column, levels)
            : valuesOrClasses({ rows: 0, columns: new Map([[name, column]]) }, name);
        entities.forEach((entity, i) => {
          history.accept(entity, cells[i]!);
        });
      }
      for (const entity of entities) rowsBefore[entity]!++;
    },
  };
}

function cellsIn({ model, parts, indicator, decimals }: Column, asked: Asked, random: RandomStream): Float64Array {
  const drawn = drawCells(model, asked, random);
  if (parts) return addedUp(drawn, parts, decimals, asked, model.name);
  const there = indicator === null ? null : asked.row.get(indicator);
  return there ? drawn.map((cell, i) => (there[i] === 1 ? cell : Number.NaN)) : drawn;
}

function addedUp(
  opening: Float64Array,
  parts: NonNullable<Column['parts']>,
  decimals: number | null,
  asked: Asked,
  name: string,
): Float64Array {
  const last = asked.past(name, 'last');
  const scale = decimals === null ? null : 10 ** decimals;
  return opening.map((first, i) => {
    const from = Number.isNaN(last[i]!) ? first : last[i]!;
    const sum = parts.reduce((before, part) => before + part.sign * asked.row.get(part.name)![i]!, from);
    return scale === null ? sum : Math.round(sum * scale) / scale;
  });
}

function toColumn({ name, kind, levels, isIndicator }: Column, cells: Float64Array): ModelColumn {
  if (kind === 'numeric') return { kind, name, values: cells };
  const codes = Int32Array.from(cells, (cell) => cell - 1);
  return { kind, name, codes, levels, ...(isIndicator && { indicator: true as const }) };
}

function classesIn(column: ModelColumn, levels: readonly string[]): Float64Array {
  if (column.kind !== 'category') throw new RangeError(`no categorical column ${JSON.stringify(column.name)}`);
  const own = column.levels === levels ? null : column.levels.map((level) => levels.indexOf(level) + 1);
  return Float64Array.from(column.codes, (code) => (own ? (own[code] ?? 0) : code + 1));
}

export function ofEntities(constants: ModelTable): Omit<Asked, 'past'> {
  const entities = Int32Array.from({ length: constants.rows }, (_, entity) => entity);
  const zero = new Float64Array(constants.rows);
  return { entities, position: zero, left: zero, row: new Map(), constants };
}

/** Returns numbers, or classes (0: missing, k + 1: level k). */
export function valuesOrClasses(table: ModelTable, name: string): Float64Array {
  const column = table.columns.get(name);
  if (column?.kind === 'numeric') return column.values;
  if (column?.kind === 'category') return Float64Array.from(column.codes, (code) => code + 1);
  throw new RangeError(`no numeric or categorical column ${JSON.stringify(name)}`);
}
