/** load → plan → fit → generate → measure → write: one attempt of a job, from its upload to its result. */

import { choiceLine } from '../../domain/detect/familyReason.ts';
import { JobError } from '../../domain/errors.ts';
import { CANCELLED } from '../../domain/job/failures.ts';
import { reportDataKey } from '../../domain/job/objectKeys.ts';
import type { Clock, JobStore, ObjectStore } from '../../domain/ports.ts';
import type { FamilyChoice } from '../../domain/schema/familyChoice.ts';
import type { GenerateRequest } from '../../domain/schema/generateRequest.ts';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import { type JobRegression, regressionMetricsSchema } from '../../domain/schema/regressionMetrics.ts';
import { counted, quoted } from '../../domain/table/wording.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import type { AllMeasures } from '../metrics/measureAll.ts';
import type { FittedModel, OpenTextResources } from '../models/model.ts';
import { MODELS } from '../models/registry.ts';
import { type FittedRole, fitIdentifiers, fitModels } from './fit.ts';
import { generateTable } from './generate.ts';
import { holdOut, type Split } from './holdOut.ts';
import { load } from './load.ts';
import { measure } from './measure.ts';
import { makePlan } from './plan.ts';
import { createProgress, type Progress } from './progress.ts';
import { learnStarts } from './starts.ts';
import { writeModels, writeResult } from './write.ts';

export interface PipelineRun {
  jobs: Pick<JobStore, 'find' | 'report' | 'finish'>;
  objects: ObjectStore;
  clock: Clock;
  version: string;
  jobId: string;
  attempt: number;
  signal: AbortSignal;
  /** Absent where models of text have no tensor engine. */
  openText?: OpenTextResources;
}

/**
 * Runs an attempt that is `running` and ends it as `done`. Throws JobError where the data cannot be modelled or the job
 * is to stop; then no state is changed, and what was written lies under the attempt's own keys.
 */
export async function runPipeline(run: PipelineRun): Promise<void> {
  const { objects, jobId, attempt } = run;
  const { request, seed } = await requestOf(run);
  const progress = createProgress(run);
  const random = createStream(seed, 'job');
  await progress.say(firstLine(request));

  const { profile, table: cells } = await load(objects, jobId);
  await progress.report(`Read ${counted(cells.rows, 'row')} and ${counted(cells.columns.length, 'column')}`);
  const { plan, table, notes } = makePlan(profile, cells, request);
  const { familyChoice } = plan;
  if (familyChoice && request.target_col !== null) {
    const line = choiceLine(request.target_col, familyChoice);
    await progress.report(line);
    notes.push(`${line}.`);
  }
  const split = holdOut(table, request.target_col, random.child('holdout'));
  await progress.report(describeSplit(split));

  const learning = random.child('fit');
  const models = [
    ...(await fitModels(plan, split.train, learning, progress, run.openText)),
    ...(await fitIdentifiers(plan, table, learning, progress)),
  ];
  const starts = learnStarts(plan, split.train, learning.child('starts'));
  const making = random.child('generate');
  const aside = { starts, notes, breathe: progress.breathe };
  const synthetic = await generateTable(plan, models, request.n_samples, making, progress.report, aside);
  const measures = await measure({ plan, split, synthetic, random: random.child('measure'), progress });

  await writeModels(objects, jobId, attempt, models);
  await objects.put(reportDataKey(jobId, attempt), new TextEncoder().encode(JSON.stringify(measures.data)));
  const writing = { plan, table: synthetic, random: random.child('write'), breathe: progress.breathe };
  const { bytes } = await writeResult({ objects, jobId, attempt, ...writing });
  await progress.report(`Wrote ${bytes} bytes`);
  const columns = plan.columns.map(({ name }) => name);
  await progress.say(lastLine(synthetic.rows, columns.length, progress));
  const metrics = {
    ...toMetrics(measures, notes, models, familyChoice),
    rows_generated: synthetic.rows,
    columns,
    seed,
  };
  await finish(run, { ...metrics, version: run.version });
}

async function requestOf(run: PipelineRun): Promise<{ request: GenerateRequest; seed: number }> {
  const job = await run.jobs.find(run.jobId);
  if (!job || job.attempt !== run.attempt) throw new JobError(CANCELLED.code, CANCELLED.message);
  const seed = job.request?.seed ?? null;
  if (!job.request || seed === null) throw new Error('the record of a started job has no request or no seed');
  return { request: job.request, seed };
}

function firstLine(request: GenerateRequest): string {
  if (request.target_col === null)
    return `Text model: ${MODELS.text.name} for ${request.text_cols.map(quoted).join(', ')}`;
  const { name } = MODELS.target;
  return `Target model: ${name} for ${quoted(request.target_col)} (family ${request.family}, ${counted(request.draws, 'posterior draw')})`;
}

const lastLine = (rows: number, columns: number, progress: Progress): string =>
  `Pipeline finished: ${counted(rows, 'row')} of ${counted(columns, 'column')} in ${progress.seconds()} s`;

const describeSplit = ({ train, holdout }: Split): string =>
  holdout
    ? `Kept ${counted(holdout.rows, 'row')} from the models to measure by; ${counted(train.rows, 'row')} to learn from`
    : `All ${counted(train.rows, 'row')} to learn from; too few to keep some to measure by`;

function toMetrics(
  measures: AllMeasures,
  notes: readonly string[],
  models: readonly FittedRole[],
  familyChoice: FamilyChoice | null,
): Omit<JobMetrics, 'rows_generated' | 'columns' | 'seed' | 'version'> {
  const { data: _, ...figures } = measures;
  const made = models.flatMap(({ role, fitted }) => [
    `Model of ${role} columns: ${MODELS[role].name}.`,
    ...notesOf(fitted),
  ]);
  const regression = regressionOf(models, familyChoice);
  return { ...figures, regression, notes: [...notes, ...made, ...measures.notes] };
}

function regressionOf(models: readonly FittedRole[], familyChoice: FamilyChoice | null): JobRegression | null {
  const target = models.find(({ role }) => role === 'target');
  const said = regressionMetricsSchema.nullable().parse(target?.fitted.diagnostics().regression ?? null);
  return said && { ...said, family_choice: familyChoice };
}

function notesOf(fitted: FittedModel): string[] {
  const { notes } = fitted.diagnostics();
  return Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
}

async function finish({ jobs, clock, jobId, attempt }: PipelineRun, metrics: JobMetrics): Promise<void> {
  const done = await jobs.finish(jobId, attempt, metrics, clock.now().toISOString());
  if (!done) throw new JobError(CANCELLED.code, CANCELLED.message);
}
