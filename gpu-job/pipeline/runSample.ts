/** load → plan → restore → generate → measure → write: more rows from the models of a job that is done, without a fit. */
import { JobError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job/job.ts';
import { sourceOf } from '../../domain/job/sampleOf.ts';
import type { GenerateRequest } from '../../domain/schema/generateRequest.ts';
import { counted } from '../../domain/table/wording.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import { deliver } from './deliver.ts';
import { generateTable } from './generate.ts';
import { holdOut } from './holdOut.ts';
import { load } from './load.ts';
import type { PipelineRun } from './pipelineRun.ts';
import { makePlan, type Plan } from './plan.ts';
import { createProgress } from './progress.ts';
import { readModels } from './savedModels.ts';
import type { StartedJob } from './startedJob.ts';
import { learnStarts } from './starts.ts';

/**
 * The rows are measured against the real ones, and pass the gate, as those of the first table did: so the upload is read
 * again. The split is the one that the models were fitted on. Only a rule of the gate that cannot be looked at otherwise
 * has models fitted to parts of a small table again.
 */
export async function runSample(run: PipelineRun, { job, request, seed }: StartedJob): Promise<void> {
  const { objects } = run;
  const progress = createProgress(run);
  const { source, ofSource } = await findSource(run, job);
  await progress.say(`Rows from the model of job ${source.job_id}`);

  const { profile, table: cells, input } = await load(objects, source.job_id);
  await progress.report(`Read ${counted(cells.rows, 'row')} and ${counted(cells.columns.length, 'column')}`);
  const made = makePlan(profile, cells, request);
  const { table, notes } = made;
  const plan = planOf(made.plan, ofSource.request);
  const learning = createStream(ofSource.seed, 'job');
  const split = holdOut(table, request.target_col, learning.child('holdout'));
  const models = await readModels(objects, source, plan, run.openText);
  await progress.report(`Restored ${counted(models.length, 'model')}`);
  const isGiven = ofSource.request.conditions.length > 0;
  const starts = isGiven ? learnStarts(plan, split.train, learning.child('fit').child('starts')) : null;
  notes.unshift(`The rows come from the model of job ${source.job_id}; nothing was fitted.`);

  const random = createStream(seed, 'sample');
  const aside = { starts, notes, breathe: progress.breathe };
  const drawn = await generateTable(plan, models, request.n_samples, random.child('generate'), progress.report, aside);
  const crossFits = (request.policy?.max_nearest_train_share_lower ?? null) !== null;
  await deliver({
    ...{ run, job, request, seed, progress, random, plan, models, starts, table, split, drawn, notes, input },
    crossFits,
  });
}

/** Models that were fitted without conditions are given nothing beforehand: rows that do not meet them are drawn anew. */
const planOf = (plan: Plan, { conditions }: GenerateRequest): Plan =>
  conditions.length > 0 ? plan : { ...plan, starts: [] };

async function findSource({ jobs }: PipelineRun, job: Job) {
  const source = sourceOf(job);
  const found = source && (await jobs.find(source.job_id));
  const seed = found?.request?.seed ?? null;
  if (!source || found?.state !== 'done' || found.attempt !== source.attempt || !found.request || seed === null) {
    const message = 'The job whose model makes the rows has been erased. Upload the file again for a new job.';
    throw new JobError('invalid_data', message);
  }
  return { source, ofSource: { request: found.request, seed } };
}
