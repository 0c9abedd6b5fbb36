/** fit: one model a role, in the order in which columns are made: categories, numbers, target, text. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { FittedModel, ModelTable, Report } from '../models/model.ts';
import { MODELS, type ModelledRole } from '../models/registry.ts';
import { indicatorColumn } from './modelTable.ts';
import { namesOf, type Plan } from './plan.ts';

/** Each role's columns are made given those of the roles before it. */
const ORDER: readonly ModelledRole[] = ['categorical', 'continuous', 'target', 'text'];

export interface FittedRole {
  role: ModelledRole;
  fitted: FittedModel;
}

/** Fits the models of the roles that have columns. Indicators of missing cells are made by the model of categories. */
export async function fitModels(
  plan: Plan,
  table: ModelTable,
  random: RandomStream,
  report: Report,
): Promise<FittedRole[]> {
  const whole = withIndicators(plan, table);
  const given: string[] = [];
  const out: FittedRole[] = [];
  for (const role of ORDER) {
    const columns = columnsOf(plan, role);
    if (columns.length === 0) continue;
    const task = {
      table: whole,
      columns,
      given: [...given],
      settings: plan.settings,
      random: random.child(role),
      report,
    };
    out.push({ role, fitted: await MODELS[role].fit(task) });
    given.push(...columns);
  }
  return out;
}

function columnsOf(plan: Plan, role: ModelledRole): string[] {
  const own = namesOf(plan, role);
  if (role !== 'categorical') return own;
  return [...own, ...plan.columns.flatMap(({ indicator }) => (indicator === null ? [] : [indicator]))];
}

function withIndicators(plan: Plan, table: ModelTable): ModelTable {
  const columns = new Map(table.columns);
  for (const { name, indicator } of plan.columns) {
    if (indicator !== null) columns.set(indicator, indicatorColumn(table, name, indicator));
  }
  return { rows: table.rows, columns };
}
