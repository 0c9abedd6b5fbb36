/** Saves fitted models, to draw more rows without refitting. */
import { z } from 'zod';
import { JobError } from '../../contract/errors.ts';
import { type Judgement, judgementSchema } from '../../contract/verdicts.ts';
import { VERSION } from '../../contract/version.ts';
import { suppressNames } from '../disclosure/suppressNames.ts';
import type { FittedModel, OpenTextResources } from '../models/model.ts';
import { MODELS, type ModelRole } from '../models/registry.ts';
import { type FittedSequence, restoreSequence } from '../models/sequence/sequenceModel.ts';
import type { Plan } from '../plan/plan.ts';
import type { FittedSequences } from './entities/sequences.ts';
import type { FittedRole } from './rows/fitRows.ts';

/** Changes with saved formats and names of random streams. */
const FORMAT = 'synthetic-tables-model/2';

/** Maximum characters; V8 strings end at about twice as many. */
const MAX_CHARACTERS = 256_000_000;

const roleSchema = z.enum(['target', 'target_label', 'continuous', 'categorical', 'label', 'text', 'identifier']);

const savedSchema = z.object({
  format: z.literal(FORMAT),
  version: z.string(),
  seed: z.int(),
  columns: z.array(z.unknown()),
  models: z.array(z.object({ role: roleSchema, name: z.string(), model: z.unknown() })),
  /** The first `ofEntities` models generate constant columns. */
  sequence: z.object({ ofEntities: z.int(), meanLength: z.number(), rows: z.unknown() }).nullable().default(null),
  verdicts: z.array(judgementSchema).default([]),
});

/** Parts of the plan that models depend on. */
const schemaOf = ({ columns, seedColumns }: Plan): unknown[] => [
  ...columns.map(({ name, role, indicator, derivation, difference }) => ({
    name,
    role,
    indicator,
    made: derivation?.kind ?? null,
    difference: difference?.name ?? null,
  })),
  ...seedColumns,
];

interface SavedModels {
  seed: number;
  plan: Plan;
  models: readonly FittedRole[];
  verdicts?: readonly Judgement[] | null;
  sequences?: FittedSequences | null;
}

/** Omits names of suppressed levels. Returns null if too large. */
export function saveModels(
  { seed, plan, models, verdicts, sequences }: SavedModels,
  maxCharacters = MAX_CHARACTERS,
): string | null {
  const saved = models.map(({ role, fitted }) => ({
    role,
    name: MODELS[role].name,
    diagnostics: fitted.diagnostics(),
    model: fitted.save(),
  }));
  const sequence = sequences && {
    ofEntities: sequences.ofEntities.length,
    meanLength: sequences.meanLength,
    rows: sequences.rows.save(),
  };
  const head = { format: FORMAT, version: VERSION, seed, columns: schemaOf(plan), verdicts: verdicts ?? [] };
  const suppressed = new Map(models.flatMap(({ fitted }) => [...(fitted.suppressed?.() ?? [])]));
  for (const [name, levels] of sequences?.rows.suppressed() ?? []) suppressed.set(name, levels);
  const names = new Set(plan.columns.map(({ name }) => name));
  const shown = { models: saved.map((one) => suppressNames(one, suppressed, names)) };
  const text = textOf({ ...head, ...shown, ...(sequence && { sequence: suppressNames(sequence, suppressed, names) }) });
  return text === undefined || text.length > maxCharacters ? null : text;
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** `jobId` is for errors. Throws JobError `invalid_data` if another version saved the models, or for another table. */
export function restoreModels(
  text: string,
  jobId: string | null,
  plan: Plan,
  openText: OpenTextResources | undefined,
): { models: FittedRole[]; verdicts: Judgement[]; sequence: SavedSequence | null } {
  const saved = savedSchema.safeParse(JSON.parse(text));
  if (!saved.success || JSON.stringify(saved.data.columns) !== JSON.stringify(schemaOf(plan)))
    throw otherVersion(jobId);
  const models = saved.data.models.map(({ role, name, model }) => {
    const { name: current, formerly = [] } = MODELS[role];
    if (current !== name && !formerly.includes(name)) throw otherVersion(jobId);
    return { role, fitted: withText(restored(role, model, jobId), openText) };
  });
  const { verdicts, sequence } = saved.data;
  if ((sequence === null) !== (plan.entity === null)) throw otherVersion(jobId);
  return {
    models,
    verdicts,
    sequence: sequence && { ...sequence, rows: restoring(() => restoreSequence(sequence.rows), jobId) },
  };
}

interface SavedSequence {
  ofEntities: number;
  meanLength: number;
  rows: FittedSequence;
}

const restored = (role: ModelRole, model: unknown, jobId: string | null): FittedModel =>
  restoring(() => MODELS[role].restore(model), jobId);

function restoring<T>(restore: () => T, jobId: string | null): T {
  try {
    return restore();
  } catch (error) {
    if (error instanceof z.ZodError) throw otherVersion(jobId);
    throw error;
  }
}

const withText = (fitted: FittedModel, openText: OpenTextResources | undefined): FittedModel =>
  openText ? { ...fitted, sample: (task) => fitted.sample({ ...task, openText }) } : fitted;

const otherVersion = (jobId: string | null): JobError =>
  new JobError({ reason: 'model_of_other_version', job_id: jobId });
