/** Fits one model per role, each given the columns of earlier roles: categories, numbers, target, text. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { sideBySide } from '../../../numerics/steps.ts';
import { isLabel } from '../../models/categorical/redrawnLabels.ts';
import type { CategoryColumn, FittedModel, ModelTable, OpenTextResources } from '../../models/model.ts';
import { MODELS, type ModelledRole, type ModelRole } from '../../models/registry.ts';
import { sourcesOf } from '../../plan/derive.ts';
import { hasLabel, type Plan } from '../../plan/plan.ts';
import type { Progress } from '../../progress.ts';
import type { PlannedColumn } from '../../table/modelTable.ts';

const ORDER: readonly ModelledRole[] = ['categorical', 'continuous', 'target', 'text'];

export interface FittedRole {
  role: ModelRole;
  fitted: FittedModel;
}

export const isOfTarget = ({ role }: Pick<FittedRole, 'role'>): boolean => role === 'target' || role === 'target_label';

export interface FitRowsTask {
  plan: Plan;
  table: ModelTable;
  random: RandomStream;
  progress: Progress;
  openText?: OpenTextResources | undefined;
  roles?: readonly ModelledRole[];
  /** Columns that exist before all roles. */
  beside?: readonly string[];
  /** Owner of each row; by default its own. */
  owners?: Int32Array;
}

/** Maximum cells for concurrent fits, which need memory. */
const CELLS_SIDE_BY_SIDE = 5_000_000;

/** Leaves out identifiers. The category model also draws indicators of missing cells. */
export async function fitModels(fitting: FitRowsTask): Promise<FittedRole[]> {
  const { plan, table, random, openText, owners } = fitting;
  const { settings } = plan;
  const { onProgress, yieldToEventLoop } = fitting.progress;
  const common = { table, settings, onProgress, ...(openText && { openText }), ...(owners && { owners }) };
  const inTurn =
    (tasks: readonly RoleTask[]) =>
    async (look: Progress['yieldToEventLoop']): Promise<FittedRole[]> => {
      const out: FittedRole[] = [];
      for (const { role, stream, ...own } of tasks) {
        const task = { ...common, ...own, random: random.child(stream), yieldToEventLoop: look };
        out.push({ role, fitted: await MODELS[role].fit(task) });
      }
      return out;
    };
  const tasks = tasksOf(fitting);
  if (table.rows * table.columns.size > CELLS_SIDE_BY_SIDE) return inTurn(tasks)(yieldToEventLoop);
  const [target, texts] = [tasks.filter(isOfTarget), tasks.filter(({ role }) => role === 'text')];
  const others = tasks.filter((task) => !target.includes(task) && !texts.includes(task));
  const beforeTexts = await sideBySide(yieldToEventLoop, inTurn(others), inTurn(target));
  return [...beforeTexts.flat(), ...(await inTurn(texts)(yieldToEventLoop))];
}

interface RoleTask {
  role: ModelRole;
  columns: readonly string[];
  given: readonly string[];
  stream: string;
}

function tasksOf({ plan, table, roles = ORDER, beside = [] }: FitRowsTask): RoleTask[] {
  const isCondition = (name: string): boolean => isIndicator(table, name) && plan.seedColumns.includes(name);
  const given: string[] = [...plan.seedColumns, ...beside];
  const out: RoleTask[] = [];
  for (const role of roles) {
    const columns = columnsOf(plan, role);
    // Target and text models must not depend on indicators of conditions.
    const parents = role === 'target' || role === 'text' ? given.filter((name) => !isCondition(name)) : [...given];
    const own = role === 'target' && hasLabel(plan) ? 'target_label' : role;
    if (columns.length > 0) out.push({ role: own, columns, given: parents, stream: role });
    const labels = role === 'continuous' ? labelsOf(plan, table) : [];
    if (labels.length > 0 && columns.length + given.length > 1) {
      out.push({ role: 'label', columns: labels, given: [...columns, ...given], stream: 'label' });
    }
    given.push(...columns);
  }
  return out;
}

const MAX_LABELS = 40;

/** Excludes seed columns and sources of other columns. */
function labelsOf(plan: Plan, table: ModelTable): string[] {
  const sources = new Set(
    plan.columns.flatMap(({ derivation, missingRule, difference }) => [
      ...(derivation ? sourcesOf(derivation) : []),
      ...(missingRule ? [missingRule.of] : []),
      ...(difference ? [difference.of] : []),
    ]),
  );
  const names = columnsOf(plan, 'categorical');
  const categories = [...table.columns.values()].filter((one): one is CategoryColumn => one.kind === 'category');
  return names
    .filter((name) => !sources.has(name) && !plan.seedColumns.includes(name))
    .filter((name) => isLabel(table.columns.get(name), categories))
    .slice(0, MAX_LABELS);
}

function isIndicator(table: ModelTable, name: string): boolean {
  const column = table.columns.get(name);
  return column?.kind === 'category' && column.indicator === true;
}

/** Takes differences for columns. Omits derived columns, except a target to describe. */
function columnsOf(plan: Plan, role: ModelledRole): string[] {
  const isModelled = ({ derivation }: PlannedColumn): boolean =>
    derivation === null || (role === 'target' && plan.describesTarget);
  const modelled = plan.columns.filter(isModelled);
  const own = modelled.filter((column) => column.role === role).map(({ name, difference }) => difference?.name ?? name);
  if (role !== 'categorical') return own;
  const indicators = modelled.flatMap(({ indicator }) => (indicator === null ? [] : [indicator]));
  return [...new Set([...own, ...indicators])].filter((name) => !plan.seedColumns.includes(name));
}

/** Fits to all rows, including held-out ones, because no identifier may be released. */
export async function fitIdentifiers({
  plan,
  table,
  random,
  progress,
}: Pick<FitRowsTask, 'plan' | 'table' | 'random' | 'progress'>): Promise<FittedRole[]> {
  const columns = columnsOf(plan, 'identifier');
  if (columns.length === 0) return [];
  const task = {
    table,
    columns,
    given: [],
    settings: plan.settings,
    random: random.child('identifier'),
    ...progress,
  };
  return [{ role: 'identifier', fitted: await MODELS.identifier.fit(task) }];
}
