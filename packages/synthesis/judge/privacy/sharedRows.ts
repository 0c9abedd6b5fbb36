/** Detects held-out rows that the real table contains, which cannot judge attacks. */
import { tally } from '../../../numerics/tally.ts';
import type { ModelTable } from '../../models/model.ts';
import type { MeasuredColumns } from '../columns.ts';
import { groupRows } from '../duplicateRate.ts';
import { shareDifference, VERDICT_Z } from '../intervals.ts';
import { chanceCopies, NEGLIGIBLE } from './chanceCopies.ts';

export interface SharedRows {
  /** Equal rows, if at least one cannot be chance. */
  sure: number[];
  /** Their number, if above the rate among real rows; else 0. */
  suspected: number;
}

export function sharedRows(real: ModelTable, holdout: ModelTable, columns: MeasuredColumns): SharedRows {
  const { queriedGroups, realGroup } = groupRows([holdout], real, columns);
  const sizes = tally(realGroup);
  const firstOf = new Map([...realGroup.entries()].map(([row, group]) => [group, row]));
  const equal = [...queriedGroups[0]!.entries()].filter(([, group]) => group >= 0);
  const expected = chanceCopies(real, columns);
  const chances = new Map<number, number>();
  const chanceOf = (group: number): number => {
    const chance = chances.get(group) ?? expected(firstOf.get(group)!, holdout.rows);
    chances.set(group, chance);
    return chance;
  };
  const isSure = equal.some(([, group]) => sizes.get(group) === 1 && chanceOf(group) < NEGLIGIBLE);
  const twins = realGroup.reduce((sum, group) => sum + (sizes.get(group)! > 1 ? 1 : 0), 0);
  const isBeyond = shareDifference(equal.length, holdout.rows, twins, real.rows, VERDICT_Z)[0] > 0;
  return { sure: isSure ? equal.map(([row]) => row) : [], suspected: isBeyond ? equal.length : 0 };
}
