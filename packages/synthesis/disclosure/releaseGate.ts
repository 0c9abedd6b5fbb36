/** Applies the release policy: redraws rows that break it, and withholds the table if it still does. */
import {
  asksNothing,
  MIN_REAL_ROWS,
  policyBreaches,
  type ReleaseMetrics,
  type ReleasePolicy,
} from '../../contract/releasePolicy.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { breachText } from '../../words/release.ts';
import { measuredColumns } from '../judge/columns.ts';
import type { AllMeasures } from '../judge/measureAll.ts';
import type { ModelTable } from '../models/model.ts';
import { measureRolesOf, type Plan } from '../plan/plan.ts';
import type { Progress } from '../progress.ts';
import type { Split } from '../table/split.ts';
import { anyOf, type Breach, copyBreach, countRows, nearBreach, type Redraw, verbatimBreach } from './breaches.ts';
import type { Owners } from './guardTexts.ts';
import { heldOutFound } from './heldOutFound.ts';

interface GateTask {
  plan: Plan;
  redraw: Redraw;
  random: RandomStream;
  progress: Progress;
  /** By default each row has its own owner. */
  owners: Owners | undefined;
  policy: ReleasePolicy;
  realRows: number;
  split: Split;
  measure(table: ModelTable, name: string): Promise<AllMeasures>;
}

interface Gated {
  table: ModelTable;
  measures: AllMeasures;
  /** Null if no rule applies. */
  release: ReleaseMetrics | null;
}

export async function passGate(task: GateTask, table: ModelTable): Promise<Gated> {
  const { policy, random } = task;
  if (asksNothing(policy)) {
    const measures = await task.measure(table, 'measure');
    if (task.realRows >= MIN_REAL_ROWS) return { table, measures, release: null };
    return judged(task, [], { table, redrawn: 0 }, measures);
  }
  const rules = rulesOf(task, policy);
  const first = await repair({ ...task, random: random.child('rules') }, table, rules);
  const measures = await task.measure(first.table, 'measure');
  const isNear = isShareBroken(policy, measures);
  const { holdout, train } = task.split;
  if (!isNear || !holdout) return judged(task, rules, first, measures);
  const near = nearBreach(train, holdout, measuredColumns(measureRolesOf(task.plan), train));
  const nearer = anyOf([near, ...rules.map(({ breach }) => breach)]);
  const second = await task.redraw(first.table, nearer, random.child('near'));
  if (second.redrawn === 0) return judged(task, rules, first, measures);
  await task.progress.onProgress({ stage: 'gate', fact: 'policy_redrawn', rows: second.redrawn, near: true });
  const again = { table: second.table, redrawn: first.redrawn + second.redrawn };
  return judged(task, rules, again, await task.measure(second.table, 'measure again'));
}

interface Rule {
  name: 'exact_copies' | 'verbatim_text';
  most: number;
  breach: Breach;
}

function rulesOf({ plan, split, owners }: GateTask, policy: ReleasePolicy): Rule[] {
  const columns = measuredColumns(measureRolesOf(plan), split.train);
  const rules: Rule[] = [];
  if (policy.exact_copies !== null) {
    rules.push({ name: 'exact_copies', most: policy.exact_copies, breach: copyBreach(split.train, columns) });
  }
  if (policy.verbatim_text !== null) {
    rules.push({
      name: 'verbatim_text',
      most: policy.verbatim_text,
      breach: verbatimBreach(split.train, columns.text, owners),
    });
  }
  return rules;
}

async function repair(task: GateTask, table: ModelTable, rules: readonly Rule[]) {
  const broken = rules.filter(({ breach, most }) => countRows(breach(table)) > most);
  if (broken.length === 0) return { table, redrawn: 0 };
  const out = await task.redraw(table, anyOf(rules.map(({ breach }) => breach)), task.random);
  await task.progress.onProgress({ stage: 'gate', fact: 'policy_redrawn', rows: out.redrawn, near: false });
  return out;
}

const lowerOf = ({ privacy }: AllMeasures): number | null => privacy?.dcr_share.low ?? null;

function isShareBroken({ max_nearest_train_share_lower: most }: ReleasePolicy, measures: AllMeasures): boolean {
  const lower = lowerOf(measures);
  return most !== null && lower !== null && lower > most;
}

function judged(
  { plan, policy, realRows }: GateTask,
  rules: readonly Rule[],
  { table, redrawn }: { table: ModelTable; redrawn: number },
  measures: AllMeasures,
): Gated {
  const counts = new Map(rules.map(({ name, breach }) => [name, countRows(breach(table))]));
  const found = {
    ...heldOutFound(policy, measures),
    exact_copies: counts.get('exact_copies') ?? null,
    verbatim_text: counts.get('verbatim_text') ?? null,
    ...(realRows < MIN_REAL_ROWS && { real_rows: realRows }),
  };
  const { numeric, categorical } = measuredColumns(measureRolesOf(plan), table);
  const breaches = policyBreaches(policy, found, { needsShare: numeric.length + categorical.length > 0 });
  const outcome = breaches.length > 0 ? ('withheld' as const) : ('passed' as const);
  return { table, measures, release: { policy, outcome, reasons: breaches.map(breachText), found, redrawn } };
}
