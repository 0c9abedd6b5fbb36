/** The fitted models beside the result: more rows can be drawn from them without another fit. */
import { z } from 'zod';
import { JobError } from '../../domain/errors.ts';
import { modelKey } from '../../domain/job/objectKeys.ts';
import { readObject } from '../../domain/job/readObject.ts';
import type { ObjectStore } from '../../domain/ports.ts';
import type { FittedModel, OpenTextResources } from '../models/model.ts';
import { MODELS, type ModelledRole } from '../models/registry.ts';
import type { FittedRole } from './fit.ts';
import type { PipelineRun } from './pipelineRun.ts';
import type { Plan } from './plan.ts';

/** Changes where a model is saved in another way, or streams of random numbers are named otherwise. */
const FORMAT = 'synthetic-tables-model/2';

/** Characters of JSON. One string of V8 ends at twice as many. */
const MOST_CHARACTERS = 256_000_000;

const roleSchema = z.enum(['target', 'continuous', 'categorical', 'text', 'identifier']);

const savedSchema = z.object({
  format: z.literal(FORMAT),
  version: z.string(),
  seed: z.int(),
  columns: z.array(z.unknown()),
  models: z.array(z.object({ role: roleSchema, name: z.string(), model: z.unknown() })),
});

/** What of the plan the models were made for: they fit no table that is read otherwise. */
const schemaOf = ({ columns, starts }: Plan): unknown[] => [
  ...columns.map(({ name, role, indicator, derivation, difference }) => ({
    name,
    role,
    indicator,
    made: derivation?.kind ?? null,
    difference: difference?.name ?? null,
  })),
  ...starts,
];

export interface SavedModels {
  seed: number;
  plan: Plan;
  models: readonly FittedRole[];
}

/** Puts what each model saved, by role and by the model's name. Gives a note where they are too large to be kept. */
export async function writeModels(
  { objects, jobId, attempt, software }: Pick<PipelineRun, 'objects' | 'jobId' | 'attempt' | 'software'>,
  { seed, plan, models }: SavedModels,
  mostCharacters = MOST_CHARACTERS,
): Promise<string[]> {
  const saved = models.map(({ role, fitted }) => ({
    role,
    name: MODELS[role].name,
    diagnostics: fitted.diagnostics(),
    model: fitted.save(),
  }));
  const head = { format: FORMAT, version: software.version, seed, columns: schemaOf(plan) };
  const text = textOf({ ...head, models: saved });
  if (text === undefined || text.length > mostCharacters) {
    return ['The models are too large to be kept: POST /sample cannot draw more rows from them.'];
  }
  await objects.put(modelKey(jobId, attempt), new TextEncoder().encode(text));
  return [];
}

/** Undefined where no string can be so long. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The models of an attempt, in their order. Throws JobError invalid_data where they have been erased, or were saved by a
 * version that saved them otherwise, or for a table that was read otherwise.
 */
export async function readModels(
  objects: ObjectStore,
  source: { job_id: string; attempt: number },
  plan: Plan,
  openText: OpenTextResources | undefined,
): Promise<FittedRole[]> {
  const bytes = await readObject(objects, modelKey(source.job_id, source.attempt));
  if (!bytes) throw refused(`The model of job ${source.job_id} has been erased.`);
  const saved = savedSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
  const otherwise = `The model of job ${source.job_id} was saved by another version of the service.`;
  if (!saved.success || JSON.stringify(saved.data.columns) !== JSON.stringify(schemaOf(plan))) throw refused(otherwise);
  return saved.data.models.map(({ role, name, model }) => {
    if (MODELS[role].name !== name) throw refused(otherwise);
    return { role, fitted: withText(restored(role, model, otherwise), openText) };
  });
}

function restored(role: ModelledRole, model: unknown, otherwise: string): FittedModel {
  try {
    return MODELS[role].restore(model);
  } catch (error) {
    if (error instanceof z.ZodError) throw refused(otherwise);
    throw error;
  }
}

/** A restored model of text opens its engine when it first writes. */
const withText = (fitted: FittedModel, openText: OpenTextResources | undefined): FittedModel =>
  openText ? { ...fitted, sample: (task) => fitted.sample({ ...task, openText }) } : fitted;

const refused = (why: string): JobError => new JobError('invalid_data', `${why} Upload the file again for a new job.`);
