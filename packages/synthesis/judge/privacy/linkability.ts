/**
 * Linkability (Giomi et al., 2023): links two halves of a person's columns that share the nearest synthetic row, in
 * excess of held-out persons.
 */
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable } from '../../models/model.ts';
import { takeRows } from '../../table/takeRows.ts';
import type { MeasuredColumns } from '../columns.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { addCounts, type Count } from '../measured.ts';
import { neighboursOf, widthOf } from '../nearestNeighbours.ts';
import { NO_COLUMN, NO_HOLDOUT, type PrivatePart, sampleRows } from '../parts.ts';
import { excessOfShares } from './excess.ts';

/** Maximum persons and synthetic rows. */
const PERSONS = 2_000;
const LOOKED_AT = 10_000;

export const linkability: Measure<Pick<PrivacyMetrics, 'linkability_excess'>, AttackTask> = async (task) => {
  const { columns } = task.measured;
  const parts = task.ranked;
  const random = task.random.child('linkability');
  const found = widthOf(columns) < 2 ? [] : parts.flatMap((part, at) => attack(part, columns, random.child(`${at}`)));
  const of = (side: 'train' | 'holdout'): Count => addCounts(found.map((counts) => counts[side]));
  const reason = parts.some(({ holdout }) => holdout)
    ? `there are fewer than two columns, or ${NO_COLUMN}`
    : NO_HOLDOUT;
  const figure = excessOfShares(of('train'), of('holdout'), reason);
  await task.onProgress({ stage: 'measure', fact: 'linkability_tested', rows: figure.rows });
  return { linkability_excess: figure };
};

function attack(part: PrivatePart, columns: MeasuredColumns, random: RandomStream) {
  const { holdout, peers, made } = part;
  if (!holdout || !peers || made.synthetic.rows === 0) return [];
  const some = (table: ModelTable, rows: number, name: string): ModelTable =>
    takeRows(table, sampleRows(table.rows, rows, random.child(name)));
  const looked = some(made.synthetic, LOOKED_AT, 'rows');
  const halves = halvesOf(columns, random.child('halves'));
  const count = (persons: ModelTable): Count => countLinked(persons, looked, halves);
  return [{ train: count(some(peers, PERSONS, 'train')), holdout: count(some(holdout, PERSONS, 'holdout')) }];
}

function halvesOf(columns: MeasuredColumns, random: RandomStream): [MeasuredColumns, MeasuredColumns] {
  const all = [...columns.numeric, ...columns.categorical];
  const order = [...shuffledRows(all.length, random)].map((at) => all[at]);
  const first = new Set(order.slice(0, Math.floor(all.length / 2)));
  const half = ({ isFirst }: { isFirst: boolean }): MeasuredColumns => ({
    ...columns,
    numeric: columns.numeric.filter((name) => first.has(name) === isFirst),
    categorical: columns.categorical.filter((name) => first.has(name) === isFirst),
  });
  return [half({ isFirst: true }), half({ isFirst: false })];
}

function countLinked(persons: ModelTable, made: ModelTable, halves: readonly MeasuredColumns[]): Count {
  const [one, other] = halves.map((half) => neighboursOf(persons, made, half));
  let hits = 0;
  for (let row = 0; row < persons.rows; row++) {
    if (one!.nearestRow(row).row === other!.nearestRow(row).row) hits++;
  }
  return { hits, of: persons.rows };
}
