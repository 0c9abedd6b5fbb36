/** A table by the pipeline that its request asks for: private or not. */
import { runPrivate, samplePrivately } from './methods/private/runPrivate.ts';
import { isPrivate } from './request/checkPrivacy.ts';
import type { Synthesis } from './finish.ts';
import { type FittedSynthesis, type PipelineTask, runPipeline, runSample, type SampleTask } from './make.ts';

export function makeTable(task: PipelineTask): Promise<FittedSynthesis> {
  const { request } = task;
  return isPrivate(request) ? runPrivate({ ...task, request }) : runPipeline(task);
}

/** More rows from the models, or the measurements, of a table that was made. */
export function sampleTable(task: SampleTask): Promise<Synthesis> {
  const { request } = task;
  return isPrivate(request) ? samplePrivately({ ...task, request }) : runSample(task);
}
