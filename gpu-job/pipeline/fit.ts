/** fit: one model a role, in the order in which columns are made: categories, numbers, target, text. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { FittedModel, ModelTable } from '../models/model.ts';
import { MODELS, type ModelledRole } from '../models/registry.ts';
import { namesOf, type Plan } from './plan.ts';
import type { Progress } from './progress.ts';

/** Each role's columns are made given those of the roles before it. */
const ORDER: readonly ModelledRole[] = ['categorical', 'continuous', 'target', 'text'];

export interface FittedRole {
  role: ModelledRole;
  fitted: FittedModel;
}

/**
 * Fits the models of the roles that have columns, identifiers left out. Indicators of missing cells are made by the
 * model of categories.
 */
export async function fitModels(
  plan: Plan,
  table: ModelTable,
  random: RandomStream,
  progress: Pick<Progress, 'report' | 'breathe'>,
): Promise<FittedRole[]> {
  const given: string[] = [];
  const out: FittedRole[] = [];
  for (const role of ORDER) {
    const columns = columnsOf(plan, role);
    if (columns.length === 0) continue;
    const { settings } = plan;
    const task = { table, columns, given: [...given], settings, random: random.child(role), ...hooksOf(progress) };
    out.push({ role, fitted: await MODELS[role].fit(task) });
    given.push(...columns);
  }
  return out;
}

function columnsOf(plan: Plan, role: ModelledRole): string[] {
  const modelled = plan.columns.filter(({ derivation }) => derivation === null);
  const own = namesOf({ ...plan, columns: modelled }, role);
  if (role !== 'categorical') return own;
  return [...new Set([...own, ...modelled.flatMap(({ indicator }) => (indicator === null ? [] : [indicator]))])];
}

/** Learns identifiers from all rows there are, those kept apart too: none of them may come out. No figure looks at them. */
export async function fitIdentifiers(
  plan: Plan,
  table: ModelTable,
  random: RandomStream,
  progress: Pick<Progress, 'report' | 'breathe'>,
): Promise<FittedRole[]> {
  const columns = columnsOf(plan, 'identifier');
  if (columns.length === 0) return [];
  const task = {
    table,
    columns,
    given: [],
    settings: plan.settings,
    random: random.child('identifier'),
    ...hooksOf(progress),
  };
  return [{ role: 'identifier', fitted: await MODELS.identifier.fit(task) }];
}

const hooksOf = ({ report, breathe }: Pick<Progress, 'report' | 'breathe'>) => ({ report, breathe });
