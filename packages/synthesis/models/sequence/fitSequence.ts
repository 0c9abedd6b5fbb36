/** Fits the sequence model to real rows and their histories. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import { drawThreshold } from '../../disclosure/thresholds.ts';
import type { ModelTable, OnProgress } from '../model.ts';
import { fitNumberClasses } from './cellClasses.ts';
import { fitConditionals } from './conditional.ts';
import { type Draft, draftColumn, type SeenRows } from './draftColumn.ts';
import { type Asked, recordPast, type SequenceFeature } from './features.ts';
import { ColumnHistory } from './history.ts';
import { constantFeatures, planFeatures } from './planFeatures.ts';
import {
  type FittedSequence,
  fitted,
  ofEntities,
  type SequenceColumn,
  type SequenceModel,
  valuesOrClasses,
} from './sequenceModel.ts';

export interface SequenceTask {
  /** Rows of an entity are adjacent and ordered. */
  table: ModelTable;
  starts: Int32Array;
  /** One row per entity. */
  constants: ModelTable;
  /** In drawing order. */
  columns: readonly SequenceColumn[];
  keepRare: boolean;
  random: RandomStream;
  onProgress: OnProgress;
  yieldToEventLoop(): Promise<void>;
}

export const MAX_ROWS = 150_000;

export async function fitSequence(task: SequenceTask): Promise<FittedSequence> {
  const { table, constants, columns, random, onProgress, yieldToEventLoop } = task;
  const plans = planFeatures(table, constants, columns);
  const rows = seenRows(task, plans.flat());
  const drafts = columns.map((column, at) =>
    draftColumn(rows, column, plans[at]!, random.child('column').child(column.name)),
  );
  const lengths = draftLengths(task);
  const tasks = [...drafts.flatMap((draft) => draft.tasks), ...lengths.tasks];
  const fits = await fitConditionals(tasks, {
    yieldToEventLoop,
    // Columns of changes have two tasks.
    onColumn: (done) => {
      const columnsDone = Math.floor((done * columns.length) / tasks.length);
      return onProgress({ stage: 'fit', fact: 'sequence_columns_fitted', done: columnsDone, total: columns.length });
    },
  });
  let from = 0;
  const madeOf = <Made>({ tasks: own, made }: Draft<Made>): Made => {
    from += own.length;
    return made(fits.slice(from - own.length, from));
  };
  const made = drafts.map(madeOf);
  return fitted({ columns: made, lengths: madeOf(lengths) });
}

function seenRows(
  { table, starts, constants, columns, keepRare, random }: SequenceTask,
  wanted: SequenceFeature[],
): SeenRows {
  const entityOf = entitiesOf(starts);
  const placeOf = placesOf(entityOf.length, random.child('rows'));
  const seen = Int32Array.from(placeOf.keys()).filter((row) => placeOf[row]! >= 0);
  const cells = new Map(columns.map(({ name }) => [name, valuesOrClasses(table, name)]));
  const histories = columns.map(({ name }) => {
    const kind = table.columns.get(name)?.kind === 'numeric' ? 'numeric' : 'category';
    return { name, cells: cells.get(name)!, history: new ColumnHistory(kind, starts.length - 1) };
  });
  const asked: Asked = {
    entities: seen.map((row) => entityOf[row]!),
    position: Float64Array.from(seen, (row) => row - starts[entityOf[row]!]!),
    left: Float64Array.from(seen, (row) => starts[entityOf[row]! + 1]! - 1 - row),
    row: new Map([...cells].map(([name, own]) => [name, takeNumbers(own, seen)])),
    past: recordPast(histories, wanted, { entityOf, placeOf, rows: seen.length }),
    constants,
  };
  return { table, starts, entityOf, seen, asked, cells, keepRare };
}

/** Entity e has rows starts[e] … starts[e + 1] - 1. */
export function entitiesOf(starts: Int32Array): Int32Array {
  const out = new Int32Array(starts.at(-1)!);
  for (let entity = 0; entity + 1 < starts.length; entity++) out.fill(entity, starts[entity], starts[entity + 1]);
  return out;
}

/** Returns -1 for rows not seen. */
function placesOf(rows: number, random: RandomStream): Int32Array {
  const share = Math.min(1, MAX_ROWS / rows);
  let next = 0;
  return new Int32Array(rows).map(() => (share === 1 || random.uniform() < share ? next++ : -1));
}

function draftLengths({ starts, constants, keepRare, random: all }: SequenceTask): Draft<SequenceModel['lengths']> {
  const entities = starts.length - 1;
  const lengths = Float64Array.from({ length: entities }, (_, e) => starts[e + 1]! - starts[e]!);
  const random = all.child('lengths');
  const own = Int32Array.from({ length: entities }, (_, e) => e);
  const { classes, binOf } = fitNumberClasses(lengths, own, drawThreshold(random.child('rare numbers')), keepRare);
  const none = new Float64Array(entities).fill(Number.NaN);
  const asked: Asked = { ...ofEntities(constants), past: () => none };
  const features = constantFeatures(constants);
  const range = { low: -Number.MAX_VALUE, high: Number.MAX_VALUE, days: null, repeats: false, next: null };
  return {
    tasks: [{ features, asked, classes: binOf, kinds: classes.from.length, isOrdered: true, random }],
    made: ([model]) => ({ classes, model: { kind: 'numeric', name: '', ...range, start: { classes, model: model! } } }),
  };
}
