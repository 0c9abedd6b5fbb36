/**
 * Near copies with noise, which dense real rows would hide. Groups rows by how many of their numbers no real row has,
 * and tests whether nearest real rows, each counted once, are more often training than held-out rows. Reports their
 * share in the least likely group; 0.5 is ideal.
 */
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import { betaP } from '../../../numerics/special/incomplete.ts';
import type { ModelTable } from '../../models/model.ts';
import { takeRows } from '../../table/takeRows.ts';
import { type MeasuredColumns, numericNamed } from '../columns.ts';
import { VERDICT_LEVEL, wilson } from '../intervals.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { toMeasured } from '../measured.ts';
import { neighboursOf, rangeTables, widthOf } from '../nearestNeighbours.ts';
import { NO_COLUMN, NO_HOLDOUT, type PrivatePart, sampleRows } from '../parts.ts';

const LOOKED_AT = 5_000;

/** Minimum nearest real rows for evidence. */
const FEWEST = 10;

interface Nearest {
  train: Set<string>;
  holdout: Set<string>;
}

export const strangeRows: Measure<Pick<PrivacyMetrics, 'strange_rows'>, AttackTask> = async (task) => {
  const { columns } = task.measured;
  const random = task.random.child('strange rows');
  const groups = new Map<number, Nearest>();
  for (const [at, part] of task.ranked.entries()) {
    const { synthetic } = part.unranked;
    const looked = takeRows(synthetic, sampleRows(synthetic.rows, LOOKED_AT, random.child(`part ${at}`)));
    addNearest({ part, looked, columns, name: `${at}` }, groups);
    await task.yieldToEventLoop?.();
  }
  const tested = [...groups.values()]
    .map(({ train, holdout }) => ({ train: train.size, all: train.size + holdout.size }))
    .filter(({ all }) => all >= FEWEST)
    .map((group) => ({ ...group, chance: betaP(group.train, group.all - group.train + 1, 0.5) }));
  const [worst] = tested.toSorted((a, b) => a.chance - b.chance);
  const isHeld = task.ranked.some(({ holdout }) => holdout);
  const reason = isHeld ? NO_COLUMN : NO_HOLDOUT;
  if (!worst) return { strange_rows: toMeasured({ value: undefined, rows: 0, reason }) };
  const figure = toMeasured({
    value: worst.train / worst.all,
    interval: wilson(worst.train, worst.all),
    rows: worst.all,
    ideal: 0.5,
    verdict: worst.chance < VERDICT_LEVEL / tested.length ? 'worse' : 'as good',
  });
  return { strange_rows: figure };
};

interface NearestTask {
  part: PrivatePart;
  looked: ModelTable;
  columns: MeasuredColumns;
  /** Distinguishes rows of several parts. */
  name: string;
}

function addNearest({ part, looked, columns, name }: NearestTask, groups: Map<number, Nearest>): void {
  const { peers, holdout } = part.unranked;
  if (!peers || !holdout || looked.rows === 0 || widthOf(columns) === 0) return;
  const strange = strangeCells(looked, [part.unranked.train, holdout], columns);
  const [scaled, ofTrain, ofHeld] = rangeTables([peers, holdout], [looked, peers, holdout], columns);
  const [toTrain, toHeld] = [neighboursOf(scaled!, ofTrain!, columns), neighboursOf(scaled!, ofHeld!, columns)];
  for (let row = 0; row < looked.rows; row++) {
    const [own, other] = [toTrain.nearestRow(row), toHeld.nearestRow(row)];
    if (own.distance === other.distance) continue;
    const group = groups.get(strange[row]!) ?? { train: new Set(), holdout: new Set() };
    groups.set(strange[row]!, group);
    if (own.distance < other.distance) group.train.add(`${name} ${own.row}`);
    else group.holdout.add(`${name} ${other.row}`);
  }
}

function strangeCells(table: ModelTable, real: readonly ModelTable[], columns: MeasuredColumns): Int32Array {
  const counts = new Int32Array(table.rows);
  for (const name of columns.numeric) {
    const known = new Set(real.flatMap((side) => [...numericNamed(side, name).values]));
    for (const [row, value] of numericNamed(table, name).values.entries()) if (!known.has(value)) counts[row]!++;
  }
  return counts;
}
