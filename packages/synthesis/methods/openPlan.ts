/** Opening steps that rows and entities share. */
import type { ProgressEvent } from '../../contract/events.ts';
import type { FamilyChoice } from '../../contract/families.ts';
import type { CellTable } from '../../tables/table.ts';
import { choiceLine } from '../family/compareFamilies.ts';
import { makePlan, type Plan, type PlanOptions, withoutSeedColumns } from '../plan/plan.ts';
import type { Split } from '../table/split.ts';
import type { ModelSource, OpenTask } from './method.ts';

/** Models fitted without conditions have no seed columns; redrawing meets new conditions. */
export function openPlan({ real, request, source }: OpenTask, cells: CellTable, options: PlanOptions) {
  const made = makePlan(real.profile, cells, request, options);
  return { ...made, plan: planOf(made.plan, source) };
}

export const planOf = (plan: Plan, source: ModelSource | null): Plan =>
  source && source.request.conditions.length === 0 ? withoutSeedColumns(plan) : plan;

export async function announceFamily(
  { request, source, progress }: OpenTask,
  { familyChoice }: Plan,
  notes: string[],
): Promise<void> {
  const { target_col: target } = request;
  if (source || !familyChoice || target === null) return;
  await progress.onProgress(familyChosen(target, familyChoice));
  notes.push(`${choiceLine(target, familyChoice)}.`);
}

const familyChosen = (column: string, { family, runner_up }: FamilyChoice): ProgressEvent => ({
  stage: 'plan',
  fact: 'family_chosen',
  column,
  family,
  runner_up: runner_up && {
    family: runner_up.family,
    difference: finite(runner_up.difference),
    standard_error: finite(runner_up.standard_error),
  },
});

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

export const rowsSplit = ({ train, holdout }: Split): ProgressEvent => ({
  stage: 'holdout',
  fact: 'rows_split',
  train: train.rows,
  holdout: holdout?.rows ?? null,
});

export const restoredNote = ({ jobId }: ModelSource): string =>
  `The rows come from the model of ${jobId === null ? 'this table' : `job ${jobId}`}; no model was fitted.`;
