/** Defines progress events as data, worded in `packages/words/events.ts`. */
import { z } from 'zod';
import { TARGET_FAMILIES } from './families.ts';

/** In order; `gate` and `measure` may alternate. */
export const STAGES = [
  'start',
  'load',
  'plan',
  'holdout',
  'fit',
  'generate',
  'gate',
  'measure',
  'write',
  'report',
  'done',
] as const;
export type Stage = (typeof STAGES)[number];

export const TEXT_WRITERS = ['language_model', 'name_lists', 'cells_of_the_row', 'markov_chain'] as const;
export type TextWriter = (typeof TEXT_WRITERS)[number];

const count = z.int().min(0);
/** Null if not finite. */
const figure = z.number().nullable();
const family = z.enum(TARGET_FAMILIES);
const side = z.enum(['synthetic', 'holdout']);

const part = { done: count, total: count };
/** Null for the whole model. */
const parameter = z.string().nullable();
const agreement = { worst_r_hat: figure, least_bulk_ess: figure, divergences: count };

function event<S extends Stage, F extends string, Shape extends z.ZodRawShape>(stage: S, fact: F, shape: Shape) {
  const seconds = z.number().min(0).meta({ description: 'Seconds since the start.' });
  return z.object({ stage: z.literal(stage), fact: z.literal(fact), ...shape, seconds });
}

export const jobEventSchema = z.discriminatedUnion('fact', [
  // First event of a job. `model` names the method.
  event('start', 'target_model', { model: z.string(), column: z.string(), family: z.string(), draws: count }),
  event('start', 'text_model', { model: z.string(), columns: z.array(z.string()) }),
  event('start', 'no_target', { columns: count }),
  event('start', 'restored_model', { job_id: z.string().nullable() }),

  event('load', 'table_read', { rows: count, columns: count }),
  event('plan', 'family_chosen', {
    column: z.string(),
    family,
    runner_up: z.object({ family, difference: figure, standard_error: figure }).nullable(),
  }),
  event('holdout', 'rows_split', { train: count, holdout: count.nullable() }),

  event('fit', 'categories_ordered', { columns: count, rows: count }),
  event('fit', 'categories_fitted', part),
  event('fit', 'margins_fitted', part),
  // Trees and vine use `done` of `total` rows.
  event('fit', 'rows_sampled', part),
  event('fit', 'trees_fitted', part),
  event('fit', 'densities_fitted', part),
  event('fit', 'vine_fitted', part),
  event('fit', 'labels_fitted', part),
  event('fit', 'labels_repeated', part),
  event('fit', 'identifiers_read', { column: z.string(), distinct: count, cells: count }),
  event('fit', 'target_constant', { column: z.string(), value: figure }),
  event('fit', 'regression_planned', { column: z.string(), family, columns: count, rows: count }),
  event('fit', 'chains_sampled', { parameter, ...part, divergences: count }),
  event('fit', 'chains_repeated', { parameter, ...agreement }),
  event('fit', 'importance_sampling', { parameter, rows: count }),
  event('fit', 'proposals_weighted', { parameter, ...part }),
  event('fit', 'approximation_rejected', { parameter, pareto_k: figure }),
  event('fit', 'rows_chosen', { parameter, rows: count, total: count }),
  event('fit', 'rows_rejected', { parameter, error: figure }),
  event('fit', 'target_calibrated', {
    column: z.string(),
    by: z.enum(['density', 'leaves']).meta({
      description:
        'How draws of the target are calibrated: to a boosted density, or to its numbers within the leaves of a tree.',
    }),
  }),
  event('fit', 'regression_fitted', {
    column: z.string(),
    converged: z.boolean(),
    ...agreement,
    r_hat_limit: z
      .number()
      .optional()
      .meta({ description: 'The R-hat below which chains of this length have converged.' }),
    method: z.enum(['chains', 'subsample', 'importance']).optional().meta({
      description: 'Source of the draws: chains over all rows, chains over a sample of them, or an approximation.',
    }),
    pareto_k: figure,
    fenced: count.meta({ description: 'Extreme values that the fit treated as less extreme.' }),
  }),
  event('fit', 'text_order_chosen', { column: z.string(), order: count, used: count, texts: count }),
  event('fit', 'text_writer_chosen', {
    column: z.string(),
    writer: z.enum(TEXT_WRITERS),
  }),
  event('fit', 'text_training_planned', {
    base: z.string().nullable(),
    whole: z.boolean().default(false).meta({ description: 'Whether all weights of the base are trained.' }),
    layers: count,
    weights: count,
    rows: count,
    pieces: count,
    epochs: count,
    tokens_per_epoch: count,
    tokens: count,
    engine: z.string(),
    estimated_seconds: count,
    memory_bytes: figure,
  }),
  event('fit', 'text_epoch', {
    ...part,
    bits_per_character: figure,
    held_out_bits_per_character: figure,
    held_out_rows: count,
  }),
  event('fit', 'models_restored', { models: count }),
  // Percentage of the privacy budget spent.
  event('fit', 'privately_measured', part),

  event('plan', 'entities_found', {
    entities: count.meta({ description: 'Number of persons or things with several rows.' }),
    rows: count,
    constant: count.meta({ description: 'Columns that are constant within each entity.' }),
    changing: count.meta({ description: 'Columns that change from row to row.' }),
  }),
  event('fit', 'sequence_columns_fitted', part),
  event('generate', 'sequence_rows_drawn', part),
  event('generate', 'entities_chosen', {
    entities: count,
    total: count,
  }),

  event('generate', 'categories_drawn', part),
  event('generate', 'labels_drawn', part),
  event('generate', 'numbers_drawn', part),
  event('generate', 'target_drawn', { column: z.string(), ...part }),
  event('generate', 'texts_drawn', { column: z.string().nullable(), ...part }),
  event('generate', 'identifiers_drawn', { column: z.string(), ...part }),
  event('generate', 'conditions_drawn', part),

  event('gate', 'copies_redrawn', { rows: count }),
  event('gate', 'policy_redrawn', { rows: count, near: z.boolean() }),

  event('measure', 'fold_fitted', { ...part, rows: count }),
  event('measure', 'numbers_compared', { side, columns: count, rows: count }),
  event('measure', 'closest_found', { side, rows: count }),
  event('measure', 'target_tested', { rows: count }),
  event('measure', 'columns_compared', { columns: count, rows: count }),
  event('measure', 'discriminator_tested', { rows: count }),
  event('measure', 'targets_predicted', { rows: count }),
  event('measure', 'categories_predicted', part),
  event('measure', 'neighbours_found', { rows: count }),
  event('measure', 'records_compared', { rows: count }),
  event('measure', 'membership_tested', { rows: count }),
  event('measure', 'singling_out_tested', { attacks: count }),
  event('measure', 'linkability_tested', { rows: count }),
  event('measure', 'texts_compared', { texts: count, held_out: count }),

  event('write', 'table_written', { bytes: count }),
  event('report', 'report_drawn', { columns: count }),
  // Number of events omitted to bound the record.
  z.object({
    stage: z.enum(STAGES),
    fact: z.literal('events_omitted'),
    events: count,
    seconds: z.number().min(0),
  }),
  // Last event of a finished job.
  event('done', 'finished', {
    rows: count,
    columns: count,
    cpu_seconds: z
      .number()
      .min(0)
      .optional()
      .meta({ description: 'CPU seconds of the process, over all cores, since the start.' }),
  }),
]);

/** Progress of a job: what happened, with figures and time. */
export type JobEvent = z.infer<typeof jobEventSchema>;
export type Fact = JobEvent['fact'];

/** The events of a record; what another version wrote in a way that this one does not know is left out. */
export const progressSchema = z.array(z.unknown()).transform((entries) =>
  entries.flatMap((entry): JobEvent[] => {
    const { data } = jobEventSchema.safeParse(entry);
    return data === undefined ? [] : [data];
  }),
);

/** Step in a status: an event, or a line of text if the status is for sharing. */
export type ProgressEntry = string | JobEvent;

type WithoutSeconds<E> = E extends JobEvent ? Omit<E, 'seconds'> : never;
/** An event without time, since the pipeline has no clock. */
export type ProgressEvent = WithoutSeconds<JobEvent>;
