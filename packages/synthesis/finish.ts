/** Finishes a drawn table: replaces copies, applies the release policy, measures and judges. */
import type { JobMetrics } from '../contract/metrics.ts';
import { NO_RULES } from '../contract/releasePolicy.ts';
import type { TableRequest } from '../contract/requests.ts';
import type { Judgement } from '../contract/verdicts.ts';
import { VERSION } from '../contract/version.ts';
import type { RandomStream } from '../numerics/random/stream.ts';
import { avoidCopies } from './disclosure/avoidCopies.ts';
import { refuseRealKeys } from './disclosure/keys.ts';
import { passGate } from './disclosure/releaseGate.ts';
import type { AllMeasures } from './judge/measureAll.ts';
import { measureTable } from './judge/measureTable.ts';
import { toMetrics } from './judge/toMetrics.ts';
import { judge } from './judge/verdicts/judge.ts';
import { judgeGuarantee } from './judge/verdicts/judgeGuarantee.ts';
import type { Generator, OpenedTable } from './methods/method.ts';
import type { ModelTable } from './models/model.ts';
import { entitiesOf } from './models/sequence/fitSequence.ts';
import type { Plan } from './plan/plan.ts';
import type { Progress } from './progress.ts';
import type { AssociationsReport } from './report/associationsReport.ts';
import { associationsOf } from './report/drawReport.ts';
import { startsOf } from './table/entityRows.ts';
import type { Split } from './table/split.ts';

export interface FinishTask {
  request: TableRequest;
  seed: number;
  progress: Progress;
  random: RandomStream;
  opened: Omit<OpenedTable, 'fit' | 'restore'>;
  generator: Pick<Generator, 'models' | 'drawsTargetInSequence' | 'disclosure' | 'promise' | 'verdicts'>;
  drawn: ModelTable;
}

export interface Synthesis {
  request: TableRequest;
  seed: number;
  progress: Progress;
  random: RandomStream;
  plan: Plan;
  table: ModelTable;
  split: Split;
  /** The plan's columns and their indicators. */
  synthetic: ModelTable;
  associations: AssociationsReport;
  metrics: JobMetrics;
}

export interface FinishOptions {
  describe?(measures: AllMeasures): AllMeasures;
  advise?(judgement: Judgement): Judgement;
}

/** Throws if the job was stopped, and JobError `unsafe_result` if a key is real. */
export async function finish(task: FinishTask, { describe, advise }: FinishOptions = {}): Promise<Synthesis> {
  const { request, seed, progress, random, opened, generator } = task;
  const { plan, real, split } = opened;
  const { table: synthetic, measures: found, release, notes } = await disclosed(task);
  const measures = describe ? describe(found) : found;
  const associations = associationsOf(plan, real, synthetic, random);
  const figures = {
    ...toMetrics(measures, associations, [...opened.notes, ...notes], { plan, split, ...generator }),
    release,
    ...(generator.promise && { formal_privacy: generator.promise }),
    rows_generated: synthetic.rows,
    columns: plan.columns.map(({ name }) => name),
    seed,
    version: VERSION,
  };
  const judged = judge(figures, generator.verdicts, { keptRare: request.keep_rare }).map((judgement) =>
    generator.promise && judgement.area === 'privacy' ? judgeGuarantee(generator.promise, judgement) : judgement,
  );
  const verdicts = advise ? judged.map(advise) : judged;
  return {
    request,
    seed,
    progress,
    random,
    plan,
    table: real,
    split,
    synthetic,
    associations,
    metrics: { ...figures, verdicts },
  };
}

/** Rows under a formal guarantee, or made elsewhere, stay unchanged. */
async function disclosed({ request, progress, random, opened, generator, drawn }: FinishTask) {
  const { plan, real, split, entities } = opened;
  const measure = (synthetic: ModelTable, name: string): Promise<AllMeasures> =>
    measureTable({ opened, synthetic, random: random.child(name), progress });
  if (!generator.disclosure)
    return { table: drawn, measures: await measure(drawn, 'measure'), release: null, notes: [] };
  const { redraw, copies } = generator.disclosure;
  const copying = random.child('copies');
  const withoutCopies = await avoidCopies({ rule: copies(copying), redraw, random: copying, progress }, drawn);
  const gate = {
    plan,
    split,
    redraw,
    progress,
    measure,
    owners: entities ? entitiesOf(startsOf(split.train, entities.key)) : undefined,
    policy: request.policy ?? NO_RULES,
    random: random.child('release'),
    realRows: real.rows,
  };
  const passed = await passGate(gate, withoutCopies.table);
  refuseRealKeys(plan, real, passed.table);
  return { ...passed, notes: withoutCopies.notes };
}
