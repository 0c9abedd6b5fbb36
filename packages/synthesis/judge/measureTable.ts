/** Measures a synthetic table against held-out rows, or by cross-fitting. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { OpenedTable } from '../methods/method.ts';
import { targetsOf } from '../methods/rows/holdOut.ts';
import type { ModelTable } from '../models/model.ts';
import { measureRolesOf } from '../plan/plan.ts';
import type { Progress } from '../progress.ts';
import { type AllMeasures, measureAll } from './measureAll.ts';

interface MeasuredTable {
  opened: Omit<OpenedTable, 'fit' | 'restore'>;
  synthetic: ModelTable;
  random: RandomStream;
  progress: Progress;
}

/** Avoids folds without a target. */
const MIN_CROSS_FIT_TARGETS = 20;

export async function measureTable({ opened, synthetic, random, progress }: MeasuredTable): Promise<AllMeasures> {
  const { plan, real, split, isSplit, entities, refit, crossFits } = opened;
  const roles = measureRolesOf(plan);
  const { train, holdout } = split;
  const canCrossFit =
    crossFits.withoutHoldout && holdout === null && targetsOf(train, roles.target) >= MIN_CROSS_FIT_TARGETS;
  return measureAll({
    train,
    holdout,
    synthetic,
    real,
    roles,
    family: plan.settings.family,
    isSplit,
    ...(entities && { entities }),
    crossFit: canCrossFit && refit ? refit(random) : null,
    attackFit: crossFits.attacks && holdout && refit ? refit(random.child('attacked')) : null,
    random: refit ? random.child('figures') : random,
    ...progress,
  });
}
