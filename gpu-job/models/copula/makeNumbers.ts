/** Makes the continuous columns from simulated ranks, one after the other. */
import { counted } from '../../../domain/table/wording.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { leafFinder } from '../../../numerics/trees/regressionTree.ts';
import { featureOf } from '../categorical/features.ts';
import type { ModelColumn, ModelTable, NumericColumn, SampleTask } from '../model.ts';
import { chunks } from '../shared/chunks.ts';
import { evenPlaces, rakePlaces } from '../shared/levelQuantiles.ts';
import { numberAt, spreadPlaces } from '../shared/margin.ts';
import type { ColumnTree } from './columnTree.ts';
import { makeEvent } from './events.ts';
import type { MadeColumn, NumbersModel } from './fitNumbers.ts';
import { hideGaps } from './gapColumns.ts';
import { placeAtRank } from './leafPlaces.ts';
import { lifted, liftOf, scoreOf } from './leafSlopes.ts';
import { drawRanks } from './rankDependence.ts';
import { bringTies, type ScoresByName, standardScores } from './scoreTies.ts';

export async function makeNumbers(model: NumbersModel, task: SampleTask): Promise<NumericColumn[]> {
  const { breathe = async () => {} } = task;
  const out = new Map(
    model.names.map((name) => [
      name,
      { kind: 'numeric' as const, name, values: new Float64Array(task.rows).fill(Number.NaN) },
    ]),
  );
  for (const { from, to } of chunks(task.rows)) {
    const random = task.random.child(`rows from ${from}`);
    const ranks = await drawRanks(model.vine, model.made.length, to - from, random, breathe);
    const made = new Map<string, ModelColumn>(rowsBetween(task.made, from, to));
    const places = new Map<string, Float64Array>();
    const scores = new Map<string, Float64Array | null>();
    for (const [j, { name, margin, gap, tree }] of model.made.entries()) {
      const table = { rows: to - from, columns: made };
      const drawn = placesOfColumn(tree, ranks[j]!, table, places);
      const own = task.representative ? raked(model.made[j]!, drawn, { table, scores }, random) : drawn;
      places.set(name, own);
      if (task.representative) scores.set(name, standardScores(own));
      const values = own.map((place) => numberAt(margin, place));
      out.get(name)!.values.set(values, from);
      made.set(name, { kind: 'numeric', name, values: hideGaps(values, gap, made) });
      await breathe();
    }
    for (const event of model.events) {
      const { column, places: own } = makeEvent(event, { rows: to - from, columns: made }, random.child(event.name));
      out.get(event.name)!.values.set(column.values, from);
      places.set(event.name, own);
      made.set(event.name, column);
      await breathe();
    }
    for (const { name, margin, of, falls } of model.followers) {
      const own = places.get(of)!;
      out.get(name)!.values.set(
        own.map((place) => numberAt(margin, falls ? 1 - place : place)),
        from,
      );
    }
    await task.report(`Continuous columns: ${to} of ${counted(task.rows, 'row')}`);
  }
  return model.names.map((name) => out.get(name)!);
}

/** The cells that will be there, brought to how the column goes with others and lies within levels and in all. */
function raked(
  { name, margin, gap, levels, ties }: MadeColumn,
  drawn: Float64Array,
  { table, scores }: { table: ModelTable; scores: ScoresByName },
  random: RandomStream,
): Float64Array {
  const own = random.child('levels').child(name);
  const there = hideGaps(spreadPlaces(margin, drawn, own), gap, table.columns);
  const even = evenPlaces(rakePlaces(bringTies(there, ties, scores), levels, table), own);
  return even.map((place, row) => (Number.isNaN(place) ? drawn[row]! : place));
}

function placesOfColumn(
  { given, tree, slopes, places }: ColumnTree,
  ranks: Float64Array,
  made: ModelTable,
  before: ReadonlyMap<string, Float64Array>,
): Float64Array {
  const leafOf = leafFinder(tree, { rows: made.rows, features: given.map((seen) => featureOf(seen, made)) });
  const along = slopes && before.get(slopes.along);
  return ranks.map((rank, row) => {
    const leaf = leafOf(row);
    const place = placeAtRank(places, leaf, rank);
    if (!slopes || !along || slopes.slope[leaf] === 0) return place;
    return lifted(place, liftOf(slopes, leaf, scoreOf(along[row]!)));
  });
}

function rowsBetween(table: ModelTable, from: number, to: number): [string, ModelColumn][] {
  return [...table.columns].map(([name, column]) => {
    if (column.kind === 'category') return [name, { ...column, codes: column.codes.subarray(from, to) }];
    if (column.kind === 'numeric') return [name, { ...column, values: column.values.subarray(from, to) }];
    return [name, { ...column, values: column.values.slice(from, to) }];
  });
}
