/** deliver: the gate, the metrics, the files and the end of an attempt whose rows are drawn. */
import { JobError, ServiceError } from '../../domain/errors.ts';
import { CANCELLED } from '../../domain/job/failures.ts';
import type { Job } from '../../domain/job/job.ts';
import type { FamilyChoice } from '../../domain/schema/familyChoice.ts';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import { type JobRegression, regressionMetricsSchema } from '../../domain/schema/regressionMetrics.ts';
import type { JobRequest } from '../../domain/schema/sampleRequest.ts';
import { counted } from '../../domain/table/wording.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { AllMeasures } from '../metrics/measureAll.ts';
import type { FittedModel, ModelTable } from '../models/model.ts';
import { MODELS } from '../models/registry.ts';
import type { DrawnColumn } from '../report/columnReports.ts';
import { makeReport, type ReportTask } from '../report/makeReport.ts';
import { avoidCopies } from './avoidCopies.ts';
import type { FittedRole } from './fit.ts';
import type { Hashed } from './hashing.ts';
import type { Split } from './holdOut.ts';
import { measure } from './measure.ts';
import type { PipelineRun } from './pipelineRun.ts';
import type { Plan } from './plan.ts';
import type { Progress } from './progress.ts';
import { passGate } from './releaseGate.ts';
import type { Starts } from './starts.ts';
import { writeResult } from './write.ts';
import { writeManifest, writeReport } from './writeReport.ts';

export interface Delivery {
  run: PipelineRun;
  job: Job;
  request: JobRequest;
  seed: number;
  progress: Progress;
  random: RandomStream;
  plan: Plan;
  models: readonly FittedRole[];
  starts: Starts | null;
  /** The real rows, and which of them the models saw. */
  table: ModelTable;
  split: Split;
  drawn: ModelTable;
  notes: readonly string[];
  /** Of the upload. */
  input: Hashed;
  /** Whether models may be fitted to parts of the rows to measure by, where no rows were kept apart. */
  crossFits: boolean;
}

/** Ends the attempt as `done`. Throws JobError where it is to stop. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { run, job, request, seed, progress, random, plan, models, starts, table, split, notes, input } = delivery;
  const { objects, jobId, attempt } = run;
  const gate = {
    ...{ plan, models, starts, split, progress, policy: request.policy, random: random.child('release') },
    measure: (synthetic: ModelTable, name: string) =>
      measure({ plan, split, synthetic, random: random.child(name), progress, crossFits: delivery.crossFits }),
  };
  const own = await avoidCopies({ ...gate, random: random.child('copies') }, table, delivery.drawn);
  const { table: synthetic, measures, release } = await passGate(gate, own.table);

  const writing = { plan, table: synthetic, random: random.child('write'), breathe: progress.breathe };
  const output = await writeResult({ objects, jobId, attempt, ...writing });
  await progress.report(`Wrote ${output.bytes} bytes`);
  const columns = plan.columns.map(({ name }) => name);
  const metrics: JobMetrics = {
    ...toMetrics(measures, [...notes, ...own.notes], models, plan.familyChoice),
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

const lastLine = (rows: number, columns: number, progress: Progress): string =>
  `Pipeline finished: ${counted(rows, 'row')} of ${counted(columns, 'column')} in ${progress.seconds()} s`;

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
