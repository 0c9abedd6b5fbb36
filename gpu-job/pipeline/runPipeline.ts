/** load → plan → fit → generate → measure → write: one attempt of a job, from its upload to its result. */

import { choiceLine } from '../../domain/detect/familyReason.ts';
import { sourceOf } from '../../domain/job/sampleOf.ts';
import type { GenerateRequest } from '../../domain/schema/generateRequest.ts';
import { counted, quoted } from '../../domain/table/wording.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import { MODELS } from '../models/registry.ts';
import { deliver } from './deliver.ts';
import { fitIdentifiers, fitModels } from './fit.ts';
import { generateTable } from './generate.ts';
import { holdOut, type Split } from './holdOut.ts';
import { load } from './load.ts';
import type { PipelineRun } from './pipelineRun.ts';
import { makePlan } from './plan.ts';
import { createProgress } from './progress.ts';
import { runSample } from './runSample.ts';
import { writeModels } from './savedModels.ts';
import { type StartedJob, startedJob } from './startedJob.ts';
import { learnStarts } from './starts.ts';

/**
 * Runs an attempt that is `running` and ends it as `done`. Throws JobError where the data cannot be modelled or the job
 * is to stop; then no state is changed, and what was written lies under the attempt's own keys.
 */
export async function runPipeline(run: PipelineRun): Promise<void> {
  const started = await startedJob(run);
  await (sourceOf(started.job) ? runSample(run, started) : fitAndDraw(run, started));
}

async function fitAndDraw(run: PipelineRun, { job, request, seed }: StartedJob): Promise<void> {
  const { objects, jobId } = run;
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
  notes.push(...(await writeModels(run, { seed, plan, models })));
  await deliver({
    ...{ run, job, request, seed, progress, random, plan, models, starts, table, split, drawn, notes, input },
    crossFits: true,
  });
}

function firstLine(request: GenerateRequest): string {
  if (request.target_col === null)
    return `Text model: ${MODELS.text.name} for ${request.text_cols.map(quoted).join(', ')}`;
  const { name } = MODELS.target;
  return `Target model: ${name} for ${quoted(request.target_col)} (family ${request.family}, ${counted(request.draws, 'posterior draw')})`;
}

const describeSplit = ({ train, holdout }: Split): string =>
  holdout
    ? `Kept ${counted(holdout.rows, 'row')} from the models to measure by; ${counted(train.rows, 'row')} to learn from`
    : `All ${counted(train.rows, 'row')} to learn from; too few to keep some to measure by`;
