/**
 * Describes a target within entities by a regression on one row of each, since similar rows would make intervals too
 * narrow.
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelColumn, ModelTable } from '../../models/model.ts';
import { namesOf } from '../../plan/plan.ts';
import type { Progress } from '../../progress.ts';
import { isMissing } from '../../table/modelTable.ts';
import { takeRows } from '../../table/takeRows.ts';
import { type FittedRole, fitModels } from '../rows/fitRows.ts';
import { columnsOfRows, type SequencePlan } from './sequencePlan.ts';

interface DescribeTask {
  plan: SequencePlan;
  train: ModelTable;
  starts: Int32Array;
  random: RandomStream;
  progress: Progress;
}

/** Empty without such a target. */
export async function describeTarget({ plan, train, starts, random, progress }: DescribeTask): Promise<FittedRole[]> {
  const [target] = namesOf(plan.ofRows, 'target');
  if (target === undefined) return [];
  const rows = aRowAnEntity(train.columns.get(target)!, starts, random.child('target rows'));
  const beside = columnsOfRows(plan, train).filter((name) => name !== target);
  return fitModels({ plan: plan.ofRows, table: takeRows(train, rows), random, progress, roles: ['target'], beside });
}

function aRowAnEntity(column: ModelColumn, starts: Int32Array, random: RandomStream): Int32Array {
  return Int32Array.from({ length: starts.length - 1 }, (_, entity) => {
    const own: number[] = [];
    for (let row = starts[entity]!; row < starts[entity + 1]!; row++) if (!isMissing(column, row)) own.push(row);
    return own[random.integer(Math.max(1, own.length))] ?? starts[entity]!;
  });
}
