import { describe, expect, it } from 'vitest';
import { type Fact, type JobEvent, jobEventSchema } from '../../packages/contract/events.ts';
import { eventText } from '../../packages/words/events.ts';
import type { Voice } from '../../packages/words/say.ts';

const VOICE: Voice = { field: (name) => `--${name}` };

const part = { done: 1200, total: 3000 };
const agreement = { worst_r_hat: 1.0012, least_bulk_ess: 3850.4, divergences: 1 };
const runnerUp = { family: 'poisson', difference: -1.2345, standard_error: 0.5 } as const;

/** One of each fact, with the line that it becomes. */
const LINES: { [F in Fact]: [Omit<Extract<JobEvent, { fact: F }>, 'fact' | 'seconds'>, string] } = {
  target_model: [
    { stage: 'start', model: 'Bayesian regression by NUTS', column: 'price', family: 'auto', draws: 1000 },
    'Target model: Bayesian regression by NUTS for "price" (family auto, 1,000 posterior draws)',
  ],
  text_model: [{ stage: 'start', model: 'LM', columns: ['a', 'b'] }, 'Text model: LM for "a" and "b"'],
  no_target: [{ stage: 'start', columns: 3 }, 'No target: 3 columns modelled together, none of them by a regression'],
  restored_model: [{ stage: 'start', job_id: 'j1' }, 'Rows from the model of job j1'],
  table_read: [{ stage: 'load', rows: 1, columns: 7 }, 'Read 1 row and 7 columns (2.0 s)'],
  family_chosen: [
    { stage: 'plan', column: 'n', family: 'gaussian', runner_up: runnerUp },
    'Family of "n": gaussian; runner-up poisson, difference of held-out log scores -1.23 (standard error 0.5) (2.0 s)',
  ],
  rows_split: [
    { stage: 'holdout', train: 900, holdout: 100 },
    'Held out 100 rows to measure by; 900 rows used for training (2.0 s)',
  ],
  categories_ordered: [
    { stage: 'fit', columns: 3, rows: 900 },
    'Categories: 3 columns ordered by information, from 900 rows (2.0 s)',
  ],
  categories_fitted: [{ stage: 'fit', done: 1, total: 3 }, 'Categories: 1 of 3 columns fitted (2.0 s)'],
  margins_fitted: [{ stage: 'fit', done: 1, total: 3 }, 'Continuous columns: margins of 1 of 3 columns fitted (2.0 s)'],
  rows_sampled: [
    { stage: 'fit', ...part },
    'Continuous columns: trees and vine fitted to 1,200 of 3,000 rows, margins to all rows (2.0 s)',
  ],
  trees_fitted: [{ stage: 'fit', done: 1, total: 3 }, 'Continuous columns: trees of 1 of 3 columns fitted (2.0 s)'],
  densities_fitted: [
    { stage: 'fit', done: 1, total: 3 },
    'Continuous columns: densities of 1 of 3 columns compared with their trees (2.0 s)',
  ],
  vine_fitted: [{ stage: 'fit', done: 2, total: 4 }, 'Continuous columns: 2 of 4 trees of the vine fitted (2.0 s)'],
  labels_fitted: [{ stage: 'fit', done: 1, total: 3 }, 'Categories, given the numbers: 1 of 3 columns fitted (2.0 s)'],
  labels_repeated: [
    { stage: 'fit', done: 4, total: 9 },
    'Categories, given the numbers: 4 of 9 further fits done (2.0 s)',
  ],
  identifiers_read: [
    { stage: 'fit', column: 'id', distinct: 1000, cells: 1200 },
    'Identifiers "id": 1,000 distinct in 1,200 cells (2.0 s)',
  ],
  target_constant: [
    { stage: 'fit', column: 'y', value: 4 },
    'Target "y": every value is 4, so no model is fitted (2.0 s)',
  ],
  regression_planned: [
    { stage: 'fit', column: 'y', family: 'gaussian', columns: 9, rows: 342 },
    'Regression of "y": gaussian, 9 design columns from 342 rows (2.0 s)',
  ],
  chains_sampled: [
    { stage: 'fit', parameter: null, ...part, divergences: 0 },
    'Sampling: 1,200 of 3,000 iterations, 0 divergences (2.0 s)',
  ],
  chains_repeated: [
    { stage: 'fit', parameter: 'mu', ...agreement, worst_r_hat: null },
    'Sampling of mu did not converge (R-hat not available, effective sample size 3,850, 1 divergence): trying again, for longer (2.0 s)',
  ],
  importance_sampling: [
    { stage: 'fit', parameter: null, rows: 90_000 },
    'Sampling: importance sampling from the Laplace approximation, weighted by 90,000 rows (2.0 s)',
  ],
  approximation_rejected: [
    { stage: 'fit', parameter: null, pareto_k: 1.84 },
    'Sampling: the approximation failed its check (Pareto k 1.84; the limit is 0.7), so chains are run instead (2.0 s)',
  ],
  rows_chosen: [
    { stage: 'fit', parameter: null, rows: 90_000, total: 1_000_000 },
    'Sampling: chains on 90,000 of 1,000,000 rows, corrected by a quadratic of all rows (2.0 s)',
  ],
  rows_rejected: [
    { stage: 'fit', parameter: null, error: 0.4 },
    'Sampling: those rows do not stand for all of them (means may be off by 0.4 standard deviations; the limit is 0.1) (2.0 s)',
  ],
  proposals_weighted: [{ stage: 'fit', parameter: null, ...part }, 'Sampling: 1,200 of 3,000 proposals (2.0 s)'],
  target_calibrated: [
    { stage: 'fit', column: 'y', by: 'density' },
    'Target "y": its draws are calibrated to a boosted density given the other columns (2.0 s)',
  ],
  regression_fitted: [
    { stage: 'fit', column: 'y', converged: false, ...agreement, r_hat_limit: 1.025, pareto_k: null, fenced: 1 },
    'Regression of "y": did not converge (R-hat 1.001, limit 1.025, effective sample size 3,850, 1 divergence): use other columns, or change --draws; 1 extreme value treated as less extreme (2.0 s)',
  ],
  text_order_chosen: [
    { stage: 'fit', column: 'note', order: 3, used: 10, texts: 1 },
    'Text "note": Markov chain of order 3, trained on 10 of 1 text (2.0 s)',
  ],
  text_writer_chosen: [
    { stage: 'fit', column: 'note', writer: 'markov_chain' },
    'Text "note": written by a character Markov chain; it has too little text for a language model (2.0 s)',
  ],
  text_training_planned: [
    {
      stage: 'fit',
      base: null,
      whole: false,
      layers: 4,
      weights: 800_000,
      rows: 900,
      pieces: 512,
      epochs: 1,
      engine: 'CPU',
      tokens_per_epoch: 1000,
      tokens: 2000,
      estimated_seconds: 12,
      memory_bytes: 1.26e9,
    },
    'Text: compact model of 800,000 weights, 900 rows, 512 tokens in the vocabulary, 1 epoch over 1,000 of 2,000 tokens on CPU: about 12 s, 1.3 GB of memory (2.0 s)',
  ],
  text_epoch: [
    {
      stage: 'fit',
      done: 1,
      total: 3,
      bits_per_character: 2.5,
      held_out_bits_per_character: 2.75,
      held_out_rows: 90,
    },
    'Text: epoch 1 of 3: 2.500 bits per character in training, 2.750 on 90 held-out rows (2.0 s)',
  ],
  models_restored: [{ stage: 'fit', models: 2 }, 'Restored 2 models (2.0 s)'],
  privately_measured: [
    { stage: 'fit', done: 40, total: 100 },
    'Measured with noise: 40 % of the privacy budget spent (2.0 s)',
  ],
  categories_drawn: [{ stage: 'generate', done: 1, total: 1 }, 'Categories: 1 of 1 column generated (2.0 s)'],
  labels_drawn: [
    { stage: 'generate', done: 1, total: 3 },
    'Categories, given the numbers: 1 of 3 columns generated (2.0 s)',
  ],
  numbers_drawn: [{ stage: 'generate', ...part }, 'Continuous columns: 1,200 of 3,000 rows generated (2.0 s)'],
  target_drawn: [{ stage: 'generate', column: 'y', ...part }, 'Target "y": 1,200 of 3,000 rows generated (2.0 s)'],
  texts_drawn: [{ stage: 'generate', column: null, ...part }, 'Text: 1,200 of 3,000 rows generated (2.0 s)'],
  identifiers_drawn: [
    { stage: 'generate', column: 'id', done: 0, total: 0 },
    'Identifiers "id": 0 generated, since the real column has none (2.0 s)',
  ],
  entities_found: [
    { stage: 'plan', entities: 300, rows: 1200, constant: 2, changing: 5 },
    '300 entities in 1,200 rows: 2 columns constant within them, 5 from row to row (2.0 s)',
  ],
  sequence_columns_fitted: [{ stage: 'fit', done: 1, total: 5 }, 'Rows of entities: 1 of 5 columns fitted (2.0 s)'],
  entities_chosen: [
    { stage: 'generate', entities: 1000, total: 1350 },
    'Kept the 1,000 of 1,350 entities that together best match the real ones (2.0 s)',
  ],
  sequence_rows_drawn: [{ stage: 'generate', ...part }, 'Rows of entities: 1,200 of 3,000 rows generated (2.0 s)'],
  conditions_drawn: [{ stage: 'generate', done: 1, total: 2 }, 'Conditions: 1 of 2 batches of rows generated (2.0 s)'],
  copies_redrawn: [{ stage: 'gate', rows: 1 }, 'Redrew 1 row that equalled a real row (2.0 s)'],
  policy_redrawn: [
    { stage: 'gate', rows: 2, near: true },
    'Release policy: redrew 2 rows too near to real ones (2.0 s)',
  ],
  fold_fitted: [
    { stage: 'measure', done: 1, total: 5, rows: 60 },
    'Metrics: models fitted for fold 1 of 5, without its 60 rows (2.0 s)',
  ],
  numbers_compared: [
    { stage: 'measure', side: 'holdout', columns: 1, rows: 90 },
    'Metrics: 1 numeric column of 90 held-out rows compared (2.0 s)',
  ],
  closest_found: [
    { stage: 'measure', side: 'synthetic', rows: 1 },
    'Metrics: closest real rows of 1 synthetic row found (2.0 s)',
  ],
  target_tested: [
    { stage: 'measure', rows: 90 },
    'Metrics: 90 real rows predicted by trees trained on synthetic rows (2.0 s)',
  ],
  columns_compared: [
    { stage: 'measure', columns: 4, rows: 90 },
    'Metrics: 4 columns of 90 rows compared with the real ones (2.0 s)',
  ],
  discriminator_tested: [{ stage: 'measure', rows: 90 }, 'Metrics: discriminator tested on 90 synthetic rows (2.0 s)'],
  targets_predicted: [
    { stage: 'measure', rows: 90 },
    'Metrics: target of 90 rows predicted by models trained on real and on synthetic rows (2.0 s)',
  ],
  categories_predicted: [
    { stage: 'measure', done: 1, total: 2 },
    'Metrics: 1 of 2 categorical columns predicted for real rows (2.0 s)',
  ],
  neighbours_found: [
    { stage: 'measure', rows: 90 },
    'Metrics: nearest training rows of 90 synthetic rows found (2.0 s)',
  ],
  records_compared: [
    { stage: 'measure', rows: 90 },
    'Metrics: 90 synthetic rows compared with training rows and held-out rows (2.0 s)',
  ],
  membership_tested: [{ stage: 'measure', rows: 90 }, 'Metrics: membership inference on 90 real rows (2.0 s)'],
  linkability_tested: [{ stage: 'measure', rows: 90 }, 'Metrics: linkability of 90 real rows (2.0 s)'],
  singling_out_tested: [{ stage: 'measure', attacks: 90 }, 'Metrics: 90 singling-out attacks (2.0 s)'],
  texts_compared: [
    { stage: 'measure', texts: 90, held_out: 9 },
    'Metrics: 90 synthetic texts compared with 9 held-out ones (2.0 s)',
  ],
  table_written: [{ stage: 'write', bytes: 12_345 }, 'Wrote 12,345 bytes (2.0 s)'],
  report_drawn: [{ stage: 'report', columns: 7 }, 'Report made for 7 columns (2.0 s)'],
  events_omitted: [{ stage: 'fit', events: 3 }, '… 3 lines omitted'],
  finished: [{ stage: 'done', rows: 3000, columns: 7 }, 'Pipeline finished: 3,000 rows of 7 columns in 2.0 s'],
};

describe('events in words', () => {
  it.each(Object.entries(LINES))('%s', (fact, [facts, line]) => {
    const event = jobEventSchema.parse({ fact, ...facts, seconds: 1.96 });
    expect(eventText(event, VOICE)).toBe(line);
  });

  it('say the least that there is to say', () => {
    const texts = [
      { stage: 'start', fact: 'restored_model', job_id: null },
      { stage: 'plan', fact: 'family_chosen', column: 'n', family: 'bernoulli', runner_up: null },
      { stage: 'holdout', fact: 'rows_split', train: 30, holdout: null },
      {
        stage: 'fit',
        fact: 'regression_fitted',
        column: 'y',
        converged: true,
        ...agreement,
        worst_r_hat: null,
        method: 'importance',
        pareto_k: 0.3,
        fenced: 0,
      },
      { stage: 'gate', fact: 'policy_redrawn', rows: 2, near: false },
    ].map((event) => eventText(jobEventSchema.parse({ ...event, seconds: 0 }), VOICE));
    expect(texts).toEqual([
      'Rows from a saved model',
      'Family of "n": bernoulli, by its values alone (0.0 s)',
      'All 30 rows used for training; too few to hold any out (0.0 s)',
      'Regression of "y": converged (importance sampling, Pareto k 0.30) (0.0 s)',
      'Release policy: redrew 2 rows (0.0 s)',
    ]);
  });

  it('are one line each, whatever a column is called', () => {
    const event = { stage: 'fit', fact: 'identifiers_read', column: 'a\n"b"'.repeat(50), distinct: 1, cells: 1 };
    const text = eventText(jobEventSchema.parse({ ...event, seconds: 1 }), VOICE);
    expect(text).not.toContain('\n');
    expect(text.length).toBeLessThan(200);
  });
});

describe('the schema of events', () => {
  const read = { stage: 'load', fact: 'table_read', rows: 3, columns: 2, seconds: 0.1 };

  it.each([
    ['another stage', { ...read, stage: 'fit' }],
    ['an unknown fact', { ...read, fact: 'told' }],
    ['no seconds', { ...read, seconds: undefined }],
    ['a part of a row', { ...read, rows: 1.5 }],
    ['no number', { ...read, rows: Number.NaN }],
    ['a line of text', 'Read 3 rows'],
  ])('refuses %s', (_, event) => {
    expect(jobEventSchema.safeParse(event).success).toBe(false);
    expect(jobEventSchema.safeParse(read).success).toBe(true);
  });
});
