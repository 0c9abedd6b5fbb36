/** Features of a cell: constants, place, earlier rows, and the row so far. */
import { z } from 'zod';
import type { Feature, FeatureTable } from '../../../numerics/trees/features.ts';
import { classesOf } from '../categorical/features.ts';
import type { ModelTable } from '../model.ts';
import { ASPECTS, aspectOf, type ColumnHistory, isLevelAspect } from './history.ts';

/** `change` and `moved` compare with the entity's last cell; `trend` is the last change before. */
export const featureSchema = z.discriminatedUnion('from', [
  z.object({ from: z.literal('constant'), name: z.string(), levels: z.array(z.string()).nullable() }),
  z.object({ from: z.literal('position') }),
  z.object({ from: z.literal('left') }),
  z.object({ from: z.literal('length') }),
  z.object({ from: z.literal('past'), name: z.string(), aspect: z.enum(ASPECTS), kinds: z.int() }),
  z.object({ from: z.literal('row'), name: z.string(), kinds: z.int() }),
  z.object({ from: z.literal('change'), name: z.string() }),
  z.object({ from: z.literal('moved'), name: z.string() }),
  z.object({ from: z.literal('trend'), name: z.string() }),
]);
/** `kinds`: classes of a category, 0 for numbers. */
export type SequenceFeature = z.infer<typeof featureSchema>;

export interface Asked {
  entities: Int32Array;
  position: Float64Array;
  left: Float64Array;
  /** Columns made so far. */
  row: ReadonlyMap<string, Float64Array>;
  past(name: string, aspect: (typeof ASPECTS)[number]): Float64Array;
  constants: ModelTable;
}

export const featureTable = (features: readonly SequenceFeature[], asked: Asked): FeatureTable => ({
  rows: asked.entities.length,
  features: features.map((feature) => featureCells(feature, asked)),
});

function featureCells(feature: SequenceFeature, asked: Asked): Feature {
  switch (feature.from) {
    case 'constant':
      return constantOf(feature, asked);
    case 'position':
      return { kind: 'numeric', values: asked.position };
    case 'left':
      return { kind: 'numeric', values: asked.left };
    case 'past':
      return toFeature(asked.past(feature.name, feature.aspect), feature.kinds);
    case 'row':
      return toFeature(asked.row.get(feature.name)!, feature.kinds);
    case 'length':
      return { kind: 'numeric', values: asked.position.map((before, i) => before + 1 + asked.left[i]!) };
    case 'change': {
      const last = asked.past(feature.name, 'last');
      return { kind: 'numeric', values: asked.row.get(feature.name)!.map((value, i) => roundOff(value - last[i]!)) };
    }
    case 'moved': {
      const last = asked.past(feature.name, 'last');
      const moved = (cell: number, i: number): number =>
        Number.isNaN(last[i]!) ? Number.NaN : Number(cell !== last[i]);
      return { kind: 'numeric', values: asked.row.get(feature.name)!.map(moved) };
    }
    case 'trend': {
      const before = asked.past(feature.name, 'before');
      return {
        kind: 'numeric',
        values: asked.past(feature.name, 'last').map((last, i) => roundOff(last - before[i]!)),
      };
    }
  }
}

/** Noise of doubles would separate equal changes. */
const roundOff = Math.fround;

function constantOf({ name, levels }: Extract<SequenceFeature, { from: 'constant' }>, asked: Asked): Feature {
  const column = asked.constants.columns.get(name);
  if (column?.kind === 'numeric') return { kind: 'numeric', values: gathered(asked.entities, column.values) };
  if (column?.kind !== 'category' || !levels) throw new RangeError(`no constant column ${JSON.stringify(name)}`);
  const classes = classesOf(column, levels);
  return { kind: 'category', codes: asked.entities.map((e) => classes[e]!), levels: levels.length + 1 };
}

const toFeature = (cells: Float64Array, kinds: number): Feature =>
  kinds === 0 ? { kind: 'numeric', values: cells } : { kind: 'category', codes: codesOf(cells), levels: kinds };

function codesOf(cells: Float64Array): Int32Array {
  const codes = new Int32Array(cells.length);
  for (let i = 0; i < codes.length; i++) codes[i] = Number.isNaN(cells[i]!) ? -1 : cells[i]!;
  return codes;
}

function gathered(entities: Int32Array, values: Float64Array): Float64Array {
  const out = new Float64Array(entities.length);
  for (let i = 0; i < out.length; i++) out[i] = values[entities[i]!]!;
  return out;
}

export const pastNow =
  (histories: ReadonlyMap<string, ColumnHistory>, entities: Int32Array): Asked['past'] =>
  (name, aspect) => {
    const history = histories.get(name)!;
    if (aspect !== 'mean') return gathered(entities, history[aspect]);
    const out = new Float64Array(entities.length);
    for (let i = 0; i < out.length; i++) out[i] = history.mean(entities[i]!);
    return out;
  };

export function recordPast(
  columns: readonly { name: string; history: ColumnHistory; cells: Float64Array }[],
  wanted: readonly SequenceFeature[],
  { entityOf, placeOf, rows }: { entityOf: Int32Array; placeOf: Int32Array; rows: number },
): Asked['past'] {
  const kept = new Map<string, Float64Array>();
  for (const { name, history, cells } of columns) {
    const own = wanted.filter((feature) => 'name' in feature && feature.name === name);
    const aspects = ASPECTS.filter((aspect) => own.some((feature) => needs(feature, aspect)));
    const arrays = aspects.map((aspect) => ({ aspect, values: new Float64Array(rows) }));
    for (const { aspect, values } of arrays) kept.set(`${aspect} ${name}`, values);
    for (let row = 0; row < entityOf.length; row++) {
      const entity = entityOf[row]!;
      const place = placeOf[row]!;
      if (place >= 0) for (const { aspect, values } of arrays) values[place] = aspectOf(history, aspect, entity);
      history.accept(entity, cells[row]!);
    }
  }
  return (name, aspect) => kept.get(`${aspect} ${name}`)!;
}

function needs(feature: SequenceFeature, aspect: (typeof ASPECTS)[number]): boolean {
  if (feature.from === 'past') return feature.aspect === aspect;
  if (feature.from === 'trend') return aspect === 'last' || aspect === 'before';
  return (feature.from === 'change' || feature.from === 'moved') && aspect === 'last';
}

export const kindsOfAspect = (kind: ColumnHistory['kind'], aspect: (typeof ASPECTS)[number], kinds: number): number =>
  isLevelAspect(kind, aspect) ? kinds : 0;
