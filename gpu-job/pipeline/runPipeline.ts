/** load → plan → fit → generate → measure → write: one attempt of a job, from its upload to its result. */

import { choiceLine } from '../../domain/detect/familyReason.ts';
import { JobError, ServiceError } from '../../domain/errors.ts';
import { CANCELLED } from '../../domain/job/failures.ts';
import type { Job } from '../../domain/job/job.ts';
import type { Clock, JobStore, ObjectStore } from '../../domain/ports.ts';
import type { Software } from '../../domain/receipt/receipt.ts';
import type { FamilyChoice } from '../../domain/schema/familyChoice.ts';
import type { GenerateRequest } from '../../domain/schema/generateRequest.ts';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import { type JobRegression, regressionMetricsSchema } from '../../domain/schema/regressionMetrics.ts';
import { counted, quoted } from '../../domain/table/wording.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import type { AllMeasures } from '../metrics/measureAll.ts';
import type { FittedModel, ModelTable, OpenTextResources } from '../models/model.ts';
import { MODELS } from '../models/registry.ts';
import type { DrawnColumn } from '../report/columnReports.ts';
import { makeReport, type ReportTask } from '../report/makeReport.ts';
import { type FittedRole, fitIdentifiers, fitModels } from './fit.ts';
import { generateTable } from './generate.ts';
import { holdOut, type Split } from './holdOut.ts';
import { load } from './load.ts';
import { measure } from './measure.ts';
import { makePlan, type Plan } from './plan.ts';
import { createProgress, type Progress } from './progress.ts';
import { passGate } from './releaseGate.ts';
import { learnStarts } from './starts.ts';
import { writeModels, writeResult } from './write.ts';
import { writeManifest, writeReport } from './writeReport.ts';

export interface PipelineRun {
  jobs: Pick<JobStore, 'find' | 'report' | 'finish'>;
  objects: ObjectStore;
  clock: Clock;
  software: Software;
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
  const { job, request, seed } = await requestOf(run);
  const progress = createProgress(run);
  const random = createStream(seed, 'job');
  await progress.say(firstLine(request));

  const { profile, table: cells, input } = await load(objects, jobId);
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
  const drawn = await generateTable(plan, models, request.n_samples, making, progress.report, aside);
  const gate = {
    ...{ plan, models, starts, split, progress, policy: request.policy, random: random.child('release') },
    measure: (synthetic: ModelTable, name: string) =>
      measure({ plan, split, synthetic, random: random.child(name), progress }),
  };
  const { table: synthetic, measures, release } = await passGate(gate, drawn);

  await writeModels(objects, jobId, attempt, models);
  const writing = { plan, table: synthetic, random: random.child('write'), breathe: progress.breathe };
  const output = await writeResult({ objects, jobId, attempt, ...writing });
  await progress.report(`Wrote ${output.bytes} bytes`);
  const columns = plan.columns.map(({ name }) => name);
  const metrics: JobMetrics = {
    ...toMetrics(measures, notes, models, familyChoice),
    ...{ release, rows_generated: synthetic.rows, columns, seed, version: run.software.version },
  };
  const madeAt = run.clock.now().toISOString();
  const made = { jobId, madeAt, fileName: job.fileName, request, software: run.software };
  const shown = { ...split, real: table, synthetic, random: random.child('report') };
  const whole = await reportOn(run, { ...made, ...shown, columns: drawnColumns(plan), metrics }, progress);
  await writeManifest({ ...made, objects, attempt, input, output, metrics: whole });
  await progress.say(lastLine(synthetic.rows, columns.length, progress));
  await finish(run, whole);
}

/** The metrics, with a note where no report could be made of them: a table is not lost for want of a drawing. */
async function reportOn(run: PipelineRun, task: ReportTask, progress: Progress): Promise<JobMetrics> {
  try {
    await writeReport(run, makeReport(task), progress.breathe);
    await progress.report(`Drew the report of ${counted(task.columns.length, 'column')}`);
    return task.metrics;
  } catch (error) {
    if (error instanceof JobError || error instanceof ServiceError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    return { ...task.metrics, notes: [...task.metrics.notes, `No report could be drawn of this table: ${why}`] };
  }
}

const drawnColumns = ({ columns }: Plan): DrawnColumn[] =>
  columns.map(({ name, role, dress }) => ({ name, role, dress }));

async function requestOf(run: PipelineRun): Promise<{ job: Job; request: GenerateRequest; seed: number }> {
  const job = await run.jobs.find(run.jobId);
  if (!job || job.attempt !== run.attempt) throw new JobError(CANCELLED.code, CANCELLED.message);
  const seed = job.request?.seed ?? null;
  if (!job.request || seed === null) throw new Error('the record of a started job has no request or no seed');
  return { job, request: job.request, seed };
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
): Omit<JobMetrics, 'rows_generated' | 'columns' | 'seed' | 'version' | 'release'> {
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
