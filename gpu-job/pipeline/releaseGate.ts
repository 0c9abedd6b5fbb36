/** The release policy of a job: rows that break it are drawn anew, and what stands all the same withholds the table. */

import { asksNothing, type ReleaseMetrics, type ReleasePolicy } from '../../domain/schema/releasePolicy.ts';
import { counted } from '../../domain/table/wording.ts';
import { measuredColumns } from '../metrics/columns.ts';
import type { AllMeasures } from '../metrics/measureAll.ts';
import type { ModelTable } from '../models/model.ts';
import { anyOf, type Breach, copyBreach, countRows, nearBreach, verbatimBreach } from './breaches.ts';
import type { Split } from './holdOut.ts';
import { measureRolesOf } from './plan.ts';
import { type RedrawTask, redrawRows } from './redrawRows.ts';

export interface GateTask extends RedrawTask {
  policy: ReleasePolicy | null;
  split: Split;
  measure(table: ModelTable, name: string): Promise<AllMeasures>;
}

export interface Gated {
  table: ModelTable;
  measures: AllMeasures;
  /** Null where the policy asks for nothing. */
  release: ReleaseMetrics | null;
}

/** Measures the table, and the repaired one where that is another. */
export async function passGate(task: GateTask, table: ModelTable): Promise<Gated> {
  const { policy, random } = task;
  if (policy === null || asksNothing(policy)) {
    return { table, measures: await task.measure(table, 'measure'), release: null };
  }
  const rules = rulesOf(task, policy);
  const first = await repair({ ...task, random: random.child('rules') }, table, rules);
  const measures = await task.measure(first.table, 'measure');
  const isNear = isShareBroken(policy, measures);
  const { holdout, train } = task.split;
  if (!isNear || !holdout) return judged(task, policy, rules, first, measures);
  const near = nearBreach(train, holdout, measuredColumns(measureRolesOf(task.plan), train));
  const nearer = anyOf([near, ...rules.map(({ breach }) => breach)]);
  const second = await redrawRows({ ...task, random: random.child('near') }, first.table, nearer);
  if (second.redrawn === 0) return judged(task, policy, rules, first, measures);
  await task.progress.report(`Release policy: drew ${counted(second.redrawn, 'row')} near to real ones anew`);
  const again = { table: second.table, redrawn: first.redrawn + second.redrawn };
  return judged(task, policy, rules, again, await task.measure(second.table, 'measure again'));
}

interface Rule {
  name: 'exact_copies' | 'verbatim_text';
  most: number;
  breach: Breach;
}

function rulesOf({ plan, split }: GateTask, policy: ReleasePolicy): Rule[] {
  const columns = measuredColumns(measureRolesOf(plan), split.train);
  const rules: Rule[] = [];
  if (policy.exact_copies !== null) {
    rules.push({ name: 'exact_copies', most: policy.exact_copies, breach: copyBreach(split.train, columns) });
  }
  if (policy.verbatim_text !== null) {
    rules.push({
      name: 'verbatim_text',
      most: policy.verbatim_text,
      breach: verbatimBreach(split.train, columns.text),
    });
  }
  return rules;
}

/** Rows are drawn anew where more of them break a rule than may. */
async function repair(task: GateTask, table: ModelTable, rules: readonly Rule[]) {
  const broken = rules.filter(({ breach, most }) => countRows(breach(table)) > most);
  if (broken.length === 0) return { table, redrawn: 0 };
  const out = await redrawRows(task, table, anyOf(rules.map(({ breach }) => breach)));
  await task.progress.report(`Release policy: drew ${counted(out.redrawn, 'row')} anew`);
  return out;
}

const lowerOf = ({ privacy }: AllMeasures): number | null => privacy?.dcr_share.low ?? null;

function isShareBroken({ max_nearest_train_share_lower: most }: ReleasePolicy, measures: AllMeasures): boolean {
  const lower = lowerOf(measures);
  return most !== null && lower !== null && lower > most;
}

function judged(
  { plan }: GateTask,
  policy: ReleasePolicy,
  rules: readonly Rule[],
  { table, redrawn }: { table: ModelTable; redrawn: number },
  measures: AllMeasures,
): Gated {
  const counts = new Map(rules.map(({ name, breach }) => [name, countRows(breach(table))]));
  const most = policy.max_nearest_train_share_lower;
  const lower = most === null ? null : lowerOf(measures);
  const reasons = rules.flatMap(({ name, most: allowed }) => {
    const found = counts.get(name) ?? 0;
    return found > allowed ? [`${counted(found, 'row')} ${SAID[name]}; the policy allows ${allowed}.`] : [];
  });
  const { numeric, categorical } = measuredColumns(measureRolesOf(plan), table);
  if (most !== null && lower === null && numeric.length + categorical.length > 0) {
    reasons.push(
      'How much nearer rows are to those that were learnt from cannot be measured: too few real rows were kept from the models.',
    );
  }
  if (most !== null && lower !== null && lower > most) {
    reasons.push(
      `At least ${lower.toFixed(3)} of the rows (lower bound, 95 %) are nearer to a row that was learnt from than to one that was not; the policy allows ${most}.`,
    );
  }
  const found = {
    nearest_train_share_lower: lower,
    exact_copies: counts.get('exact_copies') ?? null,
    verbatim_text: counts.get('verbatim_text') ?? null,
  };
  const outcome = reasons.length > 0 ? ('withheld' as const) : ('passed' as const);
  return { table, measures, release: { policy, outcome, reasons, found, redrawn } };
}

const SAID: Record<Rule['name'], string> = {
  exact_copies: 'of the table equal a real row that stands there once',
  verbatim_text: `of the table hold a text, or a long run of one, that few real rows have`,
};
