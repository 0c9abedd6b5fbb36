import type { Fact, JobEvent, ProgressEntry } from '../contract/events.ts';
import type { StatusReply } from '../contract/replies.ts';
import { decimal } from './format.ts';
import { sayIn, type Voice, type WayIn } from './say.ts';
import { counted, listed, quoted, withCommas } from './wording.ts';

type EventOf<F extends Fact> = Extract<JobEvent, { fact: F }>;
type Renderers<F extends Fact = Fact> = { [P in F]: (event: EventOf<P>, voice: Voice) => string };

/** Lines without elapsed seconds, or with seconds inside. */
const UNTIMED: ReadonlySet<Fact> = new Set([
  'target_model',
  'text_model',
  'no_target',
  'restored_model',
  'events_omitted',
  'finished',
]);

export function eventText(event: JobEvent, voice: Voice): string {
  const text = render(event.fact, event, voice);
  return UNTIMED.has(event.fact) ? text : `${text} (${secondsOf(event)} s)`;
}

/** Omits the seconds, for views with a time of their own. */
export const untimedText = (entry: ProgressEntry, way: WayIn): string =>
  typeof entry === 'string' ? entry : render(entry.fact, entry, sayIn(way));

/** A line of text is shown as it is. */
export const entryText = (entry: ProgressEntry, way: WayIn): string =>
  typeof entry === 'string' ? entry : eventText(entry, sayIn(way));

/** The entries of a job's log that the service sent. A status for sharing has lines alone. */
export const entriesOf = ({ events, progress }: Pick<StatusReply, 'events' | 'progress'>): readonly ProgressEntry[] =>
  events.length > 0 ? events : progress;

export const logLines = (status: Pick<StatusReply, 'events' | 'progress'>, way: WayIn): string[] =>
  entriesOf(status).map((entry) => entryText(entry, way));

const secondsOf = ({ seconds }: JobEvent): string => seconds.toFixed(1);

const START: Renderers<
  | 'target_model'
  | 'text_model'
  | 'no_target'
  | 'restored_model'
  | 'table_read'
  | 'entities_found'
  | 'family_chosen'
  | 'rows_split'
> = {
  target_model: ({ model, column, family, draws }) =>
    `Target model: ${model} for ${quoted(column)} (family ${family}, ${counted(draws, 'posterior draw')})`,
  text_model: ({ model, columns }) => `Text model: ${model} for ${listed(columns.map(quoted))}`,
  no_target: ({ columns }) =>
    `No target: ${counted(columns, 'column')} modelled together, none of them by a regression`,
  restored_model: ({ job_id }) =>
    job_id === null ? 'Rows from a saved model' : `Rows from the model of job ${job_id}`,
  table_read: ({ rows, columns }) => `Read ${counted(rows, 'row')} and ${counted(columns, 'column')}`,
  family_chosen: ({ column, family, runner_up }) => {
    const start = `Family of ${quoted(column)}: ${family}`;
    if (!runner_up) return `${start}, by its values alone`;
    const { family: other, difference, standard_error } = runner_up;
    return `${start}; runner-up ${other}, difference of held-out log scores ${signed(difference)} (standard error ${shortened(standard_error)})`;
  },
  entities_found: ({ entities, rows, constant, changing }) =>
    `${counted(entities, 'entity', 'entities')} in ${counted(rows, 'row')}: ${counted(constant, 'column')} constant within them, ${withCommas(changing)} from row to row`,
  rows_split: ({ train, holdout }) =>
    holdout === null
      ? `All ${counted(train, 'row')} used for training; too few to hold any out`
      : `Held out ${counted(holdout, 'row')} to measure by; ${counted(train, 'row')} used for training`,
};

const ROLES: Renderers<
  | 'categories_ordered'
  | 'categories_fitted'
  | 'margins_fitted'
  | 'rows_sampled'
  | 'trees_fitted'
  | 'densities_fitted'
  | 'vine_fitted'
  | 'labels_fitted'
  | 'labels_repeated'
  | 'identifiers_read'
  | 'models_restored'
  | 'sequence_columns_fitted'
  | 'privately_measured'
> = {
  categories_ordered: ({ columns, rows }) =>
    `Categories: ${counted(columns, 'column')} ordered by information, from ${counted(rows, 'row')}`,
  categories_fitted: ({ done, total }) => `Categories: ${done} of ${counted(total, 'column')} fitted`,
  margins_fitted: ({ done, total }) => `Continuous columns: margins of ${done} of ${counted(total, 'column')} fitted`,
  rows_sampled: ({ done, total }) =>
    `Continuous columns: trees and vine fitted to ${withCommas(done)} of ${counted(total, 'row')}, margins to all rows`,
  trees_fitted: ({ done, total }) => `Continuous columns: trees of ${done} of ${counted(total, 'column')} fitted`,
  densities_fitted: ({ done, total }) =>
    `Continuous columns: densities of ${done} of ${counted(total, 'column')} compared with their trees`,
  vine_fitted: ({ done, total }) => `Continuous columns: ${done} of ${counted(total, 'tree')} of the vine fitted`,
  labels_fitted: ({ done, total }) => `Categories, given the numbers: ${done} of ${counted(total, 'column')} fitted`,
  labels_repeated: ({ done, total }) =>
    `Categories, given the numbers: ${done} of ${counted(total, 'further fit')} done`,
  identifiers_read: ({ column, distinct, cells }) =>
    `Identifiers ${quoted(column)}: ${withCommas(distinct)} distinct in ${counted(cells, 'cell')}`,
  sequence_columns_fitted: ({ done, total }) => `Rows of entities: ${done} of ${counted(total, 'column')} fitted`,
  models_restored: ({ models }) => `Restored ${counted(models, 'model')}`,
  privately_measured: ({ done }) => `Measured with noise: ${done} % of the privacy budget spent`,
};

const TARGET: Renderers<
  | 'target_constant'
  | 'regression_planned'
  | 'chains_sampled'
  | 'chains_repeated'
  | 'importance_sampling'
  | 'proposals_weighted'
  | 'approximation_rejected'
  | 'rows_chosen'
  | 'rows_rejected'
  | 'target_calibrated'
  | 'regression_fitted'
> = {
  target_constant: ({ column, value }) =>
    `Target ${quoted(column)}: ${value === null ? 'it has one value' : `every value is ${value}`}, so no model is fitted`,
  regression_planned: ({ column, family, columns, rows }) =>
    `Regression of ${quoted(column)}: ${family}, ${counted(columns, 'design column')} from ${counted(rows, 'row')}`,
  chains_sampled: ({ parameter, done, total, divergences }) =>
    `${samplingOf(parameter)}: ${withCommas(done)} of ${counted(total, 'iteration')}, ${counted(divergences, 'divergence')}`,
  chains_repeated: ({ parameter, ...agreement }) =>
    `${samplingOf(parameter)} did not converge (${agreementText(agreement)}): trying again, for longer`,
  importance_sampling: ({ parameter, rows }) =>
    `${samplingOf(parameter)}: importance sampling from the Laplace approximation, weighted by ${counted(rows, 'row')}`,
  proposals_weighted: ({ parameter, done, total }) =>
    `${samplingOf(parameter)}: ${withCommas(done)} of ${counted(total, 'proposal')}`,
  approximation_rejected: ({ parameter, pareto_k }) =>
    `${samplingOf(parameter)}: the approximation failed its check (${shapeText(pareto_k)}; the limit is 0.7), so chains are run instead`,
  rows_chosen: ({ parameter, rows, total }) =>
    `${samplingOf(parameter)}: chains on ${withCommas(rows)} of ${counted(total, 'row')}, corrected by a quadratic of all rows`,
  rows_rejected: ({ parameter, error }) =>
    `${samplingOf(parameter)}: those rows do not stand for all of them (means may be off by ${error === null ? 'any number of' : decimal(error)} standard deviations; the limit is 0.1)`,
  target_calibrated: ({ column, by }) =>
    `Target ${quoted(column)}: its draws are calibrated to ${by === 'density' ? 'a boosted density given the other columns' : 'its numbers within leaves of a tree'}`,
  regression_fitted: ({ column, pareto_k, converged, fenced, method, ...agreement }, voice) => {
    const weighted = pareto_k === null ? [] : [`importance sampling, ${shapeText(pareto_k)}`];
    const chains = pareto_k === null || agreement.worst_r_hat !== null ? [agreementText(agreement)] : [];
    const sample = method === 'subsample' ? ['chains over a sample of the rows'] : [];
    const figures = [...sample, ...weighted, ...chains].join('; ');
    const verdict = converged
      ? `converged (${figures})`
      : `did not converge (${figures}): use other columns, or change ${voice.field('draws')}`;
    const far = fenced === 0 ? '' : `; ${counted(fenced, 'extreme value')} treated as less extreme`;
    return `Regression of ${quoted(column)}: ${verdict}${far}`;
  },
};

const WRITERS = {
  language_model: 'written by a language model fine-tuned on it',
  name_lists: 'names or addresses, put together from words of many rows and from lists of the language',
  cells_of_the_row: 'put together from other cells of its row',
  markov_chain: 'written by a character Markov chain; it has too little text for a language model',
};

const TEXT: Renderers<'text_order_chosen' | 'text_writer_chosen' | 'text_training_planned' | 'text_epoch'> = {
  text_writer_chosen: ({ column, writer }) => `Text ${quoted(column)}: ${WRITERS[writer]}`,
  text_order_chosen: ({ column, order, used, texts }) =>
    `Text ${quoted(column)}: Markov chain of order ${order}, trained on ${withCommas(used)} of ${counted(texts, 'text')}`,
  text_training_planned: (event) => {
    const { base, layers, weights, rows, pieces, epochs, tokens_per_epoch, tokens, engine } = event;
    const adapted = event.whole ? `all ${counted(weights, 'weight')} of` : `adapters on ${counted(layers, 'layer')} of`;
    const what = base === null ? `compact model of ${counted(weights, 'weight')}` : `${adapted} ${base}`;
    const memory = event.memory_bytes === null ? '' : `, ${(event.memory_bytes / 1e9).toFixed(1)} GB of memory`;
    return `Text: ${what}, ${counted(rows, 'row')}, ${counted(pieces, 'token')} in the vocabulary, ${counted(epochs, 'epoch')} over ${withCommas(tokens_per_epoch)} of ${counted(tokens, 'token')} on ${engine}: about ${withCommas(event.estimated_seconds)} s${memory}`;
  },
  text_epoch: ({ done, total, bits_per_character, held_out_bits_per_character, held_out_rows }) => {
    const held =
      held_out_bits_per_character === null
        ? ''
        : `, ${held_out_bits_per_character.toFixed(3)} on ${counted(held_out_rows, 'held-out row')}`;
    return `Text: epoch ${done} of ${total}: ${bits_per_character?.toFixed(3) ?? 'unknown'} bits per character in training${held}`;
  },
};

const GENERATE: Renderers<
  | 'categories_drawn'
  | 'labels_drawn'
  | 'numbers_drawn'
  | 'target_drawn'
  | 'texts_drawn'
  | 'identifiers_drawn'
  | 'conditions_drawn'
  | 'sequence_rows_drawn'
  | 'entities_chosen'
  | 'copies_redrawn'
  | 'policy_redrawn'
> = {
  categories_drawn: ({ done, total }) => `Categories: ${done} of ${counted(total, 'column')} generated`,
  labels_drawn: ({ done, total }) => `Categories, given the numbers: ${done} of ${counted(total, 'column')} generated`,
  numbers_drawn: ({ done, total }) => `Continuous columns: ${withCommas(done)} of ${counted(total, 'row')} generated`,
  target_drawn: ({ column, done, total }) =>
    `Target ${quoted(column)}: ${withCommas(done)} of ${counted(total, 'row')} generated`,
  texts_drawn: ({ column, done, total }) =>
    `Text${column === null ? '' : ` ${quoted(column)}`}: ${withCommas(done)} of ${counted(total, 'row')} generated`,
  identifiers_drawn: ({ column, done, total }) =>
    total === 0
      ? `Identifiers ${quoted(column)}: 0 generated, since the real column has none`
      : `Identifiers ${quoted(column)}: ${withCommas(done)} of ${withCommas(total)} generated`,
  entities_chosen: ({ entities, total }) =>
    `Kept the ${withCommas(entities)} of ${counted(total, 'entity', 'entities')} that together best match the real ones`,
  sequence_rows_drawn: ({ done, total }) =>
    `Rows of entities: ${withCommas(done)} of ${counted(total, 'row')} generated`,
  conditions_drawn: ({ done, total }) =>
    `Conditions: ${done} of ${counted(total, 'batch', 'batches')} of rows generated`,
  copies_redrawn: ({ rows }) => `Redrew ${counted(rows, 'row')} that equalled a real row`,
  policy_redrawn: ({ rows, near }) =>
    `Release policy: redrew ${counted(rows, 'row')}${near ? ' too near to real ones' : ''}`,
};

const MEASURE: Renderers<Extract<JobEvent, { stage: 'measure' }>['fact']> = {
  fold_fitted: ({ done, total, rows }) =>
    `Metrics: models fitted for fold ${done} of ${total}, without its ${counted(rows, 'row')}`,
  numbers_compared: ({ side, columns, rows }) =>
    `Metrics: ${counted(columns, 'numeric column')} of ${counted(rows, `${SIDES[side]} row`)} compared`,
  closest_found: ({ side, rows }) => `Metrics: closest real rows of ${counted(rows, `${SIDES[side]} row`)} found`,
  target_tested: ({ rows }) => `Metrics: ${counted(rows, 'real row')} predicted by trees trained on synthetic rows`,
  columns_compared: ({ columns, rows }) =>
    `Metrics: ${counted(columns, 'column')} of ${counted(rows, 'row')} compared with the real ones`,
  discriminator_tested: ({ rows }) => `Metrics: discriminator tested on ${counted(rows, 'synthetic row')}`,
  targets_predicted: ({ rows }) =>
    `Metrics: target of ${counted(rows, 'row')} predicted by models trained on real and on synthetic rows`,
  categories_predicted: ({ done, total }) =>
    `Metrics: ${done} of ${counted(total, 'categorical column')} predicted for real rows`,
  neighbours_found: ({ rows }) => `Metrics: nearest training rows of ${counted(rows, 'synthetic row')} found`,
  records_compared: ({ rows }) =>
    `Metrics: ${counted(rows, 'synthetic row')} compared with training rows and held-out rows`,
  membership_tested: ({ rows }) => `Metrics: membership inference on ${counted(rows, 'real row')}`,
  linkability_tested: ({ rows }) => `Metrics: linkability of ${counted(rows, 'real row')}`,
  singling_out_tested: ({ attacks }) => `Metrics: ${counted(attacks, 'singling-out attack')}`,
  texts_compared: ({ texts, held_out }) =>
    `Metrics: ${counted(texts, 'synthetic text')} compared with ${counted(held_out, 'held-out one')}`,
};

const SIDES = { synthetic: 'synthetic', holdout: 'held-out' } as const;

const END: Renderers<'table_written' | 'report_drawn' | 'events_omitted' | 'finished'> = {
  table_written: ({ bytes }) => `Wrote ${counted(bytes, 'byte')}`,
  report_drawn: ({ columns }) => `Report made for ${counted(columns, 'column')}`,
  events_omitted: ({ events }) => `… ${counted(events, 'line')} omitted`,
  finished: (event) =>
    `Pipeline finished: ${counted(event.rows, 'row')} of ${counted(event.columns, 'column')} in ${secondsOf(event)} s${cpuOf(event)}`,
};

/** Absent in older records. */
const cpuOf = ({ cpu_seconds }: EventOf<'finished'>): string =>
  cpu_seconds === undefined ? '' : ` (${decimal(cpu_seconds)} CPU seconds)`;

const RENDERERS: Renderers = { ...START, ...ROLES, ...TARGET, ...TEXT, ...GENERATE, ...MEASURE, ...END };

const render = <F extends Fact>(fact: F, event: EventOf<F>, voice: Voice): string => RENDERERS[fact](event, voice);

const shapeText = (k: number | null): string => (k === null ? 'Pareto k is not available' : `Pareto k ${k.toFixed(2)}`);

const samplingOf = (parameter: string | null): string => (parameter === null ? 'Sampling' : `Sampling of ${parameter}`);

type Agreement = Pick<EventOf<'regression_fitted'>, 'worst_r_hat' | 'least_bulk_ess' | 'divergences' | 'r_hat_limit'>;

/** Older records have no limit. */
function agreementText({ worst_r_hat, least_bulk_ess, divergences, r_hat_limit }: Agreement): string {
  const ratio = worst_r_hat === null ? 'not available' : worst_r_hat.toFixed(worst_r_hat < 100 ? 3 : 0);
  const size = least_bulk_ess === null ? 'not available' : withCommas(Math.round(least_bulk_ess));
  const limit = r_hat_limit === undefined ? '' : `, limit ${decimal(r_hat_limit)}`;
  return `R-hat ${ratio}${limit}, effective sample size ${size}, ${counted(divergences, 'divergence')}`;
}

const signed = (value: number | null): string =>
  value === null ? 'not available' : `${value < 0 ? '-' : '+'}${shortened(Math.abs(value))}`;

/** Three significant digits. */
function shortened(value: number | null): string {
  if (value === null) return 'not available';
  return Math.abs(value) >= 1000 && Math.abs(value) < 1e15 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
