import { describe, expect, it } from 'vitest';
import type { MeasuredFigure, Verdict } from '../../../packages/contract/measuredFigure.ts';
import type { JobMetrics } from '../../../packages/contract/metrics.ts';
import type { JobRegression } from '../../../packages/contract/regressionMetrics.ts';
import { judgementSchema } from '../../../packages/contract/verdicts.ts';
import { judge } from '../../../packages/synthesis/judge/verdicts/judge.ts';
import { METRICS, WITHHELD } from '../../support/jobFixtures.ts';

const figure = (value: number | null, verdict: Verdict | null, holdout: number | null = 0.9): MeasuredFigure => ({
  value,
  low: 0.4,
  high: 0.6,
  rows: 10,
  reason: value === null ? 'none' : null,
  ideal: null,
  holdout,
  independent: null,
  swapped: null,
  verdict,
});

const fidelity = (verdict: Verdict | null): JobMetrics['fidelity'] => {
  const all = figure(0.8, verdict);
  return {
    one_way: all,
    two_way: all,
    three_way: all,
    ks: all,
    wasserstein: all,
    total_variation: all,
    missingness: all,
    pearson: all,
    spearman: all,
    correlation_ratio: all,
    cramers_v: all,
    association_strength: all,
    discriminator: all,
    discriminator_training: all,
    feature_importance: [{ column: 'x', loss: 0.2 }],
    columns: [],
    largest_gaps: [{ measure: 'cramers_v', columns: ['a', 'b'], real: 0.5, synthetic: 0.25 }],
    columns_left_out: 0,
  };
};

/** Of `held` held-out rows; each bound is the value and `half` on either side. */
const privacy = (worse: number, { half = 0.02, held = 2000 } = {}): JobMetrics['privacy'] => {
  const of = (at: number) => figure(0.5, at < worse ? 'worse' : 'as good');
  const bounded = (value: number) => ({
    ...figure(value, 'as good'),
    low: value - half,
    high: value + half,
    rows: 2 * held,
  });
  const excess = bounded(0);
  return {
    sure_copies: 0,
    copied_rows: [],
    look_ups: [],
    strange_rows: of(9),
    exact_copies: of(9),
    unique_copies: of(0),
    near_copies: of(1),
    dcr_share: of(2),
    dcr_share_worst: of(3),
    worst_columns: [],
    neighbour_ratio: of(9),
    attribute_inference: [],
    membership_inference: { ...bounded(0.5), verdict: of(4).verdict },
    copies_but_one: of(9),
    membership: [],
    singling_out_excess: excess,
    linkability_excess: excess,
    attribute_excess: excess,
    singling_out: of(5),
    text_memorisation: figure(null, null),
    worst_text_column: null,
  };
};

const regression = (
  shares: Partial<JobRegression['predictive_p_values']>,
  { converged } = { converged: true },
): NonNullable<JobMetrics['regression']> => ({
  target: 'mass',
  family: 'gaussian',
  rows: 300,
  method: 'chains',
  chains: 4,
  draws: 500,
  tune: 500,
  worst_r_hat: 1,
  least_bulk_ess: 900,
  least_tail_ess: 900,
  divergences: 0,
  depth_exceeded: 0,
  least_e_bfmi: 1,
  pareto_k: null,
  converged,
  summary: '',
  parameters: 2,
  left_out: [],
  coefficients: [],
  predictive_p_values: { mean: 0.5, sd: 0.5, zeros: null, least: 0.5, greatest: 0.5, ...shares },
  label: null,
  calibrated: true,
  loo: null,
  family_choice: null,
  drawn_by: 'regression' as const,
});

const gradesOf = (more: Partial<JobMetrics>) => judge({ ...METRICS, ...more }).map(({ area, grade }) => [area, grade]);

describe('judge', () => {
  it('says nothing of what was not measured', () => {
    expect(judge(METRICS)).toEqual([]);
  });

  it.each<[Verdict | null, string]>([
    ['as good', 'good'],
    ['suspiciously better', 'mixed'],
    ['worse', 'poor'],
    [null, 'unknown'],
  ])('grades likeness of which all is %s as %s', (verdict, grade) => {
    expect(gradesOf({ fidelity: fidelity(verdict) })).toEqual([['likeness', grade]]);
  });

  const withAuc = (unseen: Partial<MeasuredFigure>, training: Partial<MeasuredFigure>): Partial<JobMetrics> => {
    const own = fidelity('as good');
    const all = figure(0.5, 'as good');
    return {
      fidelity: own && {
        ...own,
        discriminator: { ...all, low: 0.45, high: 0.55, rows: 300, ...unseen },
        discriminator_training: { ...all, low: 0.48, high: 0.52, rows: 2_700, ...training },
      },
    };
  };
  const likenessOf = (more: Partial<JobMetrics>) => {
    const [likeness] = judge({ ...METRICS, ...more });
    return { grade: likeness?.grade, text: [likeness?.headline, ...(likeness?.sentences ?? [])].join(' ') };
  };

  it('says which AUC so many held-out rows do not exclude, and claims no likeness where it is large', () => {
    const shown = likenessOf(withAuc({}, {}));
    expect(shown.grade).toBe('good');
    expect(shown.text).toContain('as closely as other real rows do');
    expect(shown.text).toContain('With 300 held-out rows, an AUC up to 0.55 is not excluded.');
    const few = likenessOf(withAuc({ low: 0.38, high: 0.62, rows: 50, verdict: null }, {}));
    expect(few.text).not.toContain('as closely as');
    expect(few.text).toContain('too few real rows are unseen to exclude one');
  });

  it('says that a table follows the training rows where it is told from them less well than from others', () => {
    expect(likenessOf(withAuc({ value: 0.53 }, { value: 0.42, low: 0.41, high: 0.43 })).text).toContain(
      'can tell that it was made from them',
    );
    expect(likenessOf(withAuc({ value: 0.51 }, { value: 0.49 })).text).not.toContain('made from them');
  });

  it('calls a table that training rows are taken for mixed, and one that is nearer to held-out rows than chance', () => {
    const copied = likenessOf(withAuc({}, { value: 0.2, low: 0.18, high: 0.22, verdict: 'suspiciously better' }));
    expect(copied.grade).toBe('mixed');
    expect(copied.text).toContain('as it does if rows are copied');
    const leaked = likenessOf(withAuc({ value: 0.2, low: 0.1, high: 0.3, verdict: 'suspiciously better' }, {}));
    expect(leaked.grade).toBe('mixed');
    expect(leaked.text).toContain('those rows were probably used to make them');
  });

  it.each([
    [0, 'good'],
    [1, 'mixed'],
    [2, 'poor'],
  ])('grades privacy with %i attacks that succeed as %s', (worse, grade) => {
    expect(gradesOf({ privacy: privacy(worse) })).toEqual([['privacy', grade]]);
  });

  it('claims no privacy that the held-out rows are too few to show, and says what they leave open', () => {
    const [few, many] = [privacy(0, { half: 0.05, held: 300 }), privacy(0)].map(
      (of) => judge({ ...METRICS, privacy: of })[0]!,
    );
    expect([few!.grade, many!.grade]).toEqual(['not_shown', 'good']);
    expect(few!.headline).toBe(
      'No attack succeeded, but too few rows were held out to show that none does. With 300 held-out rows, a membership AUC up to 0.579 (limit 0.571) is not ruled out.',
    );
    expect(many!.headline).toContain('With 2,000 held-out rows, a membership AUC above 0.532 is ruled out.');
  });

  it('says of one attack that succeeds that the others do not, only if the held-out rows show it', () => {
    const gradeOf = (half: number) => gradesOf({ privacy: privacy(1, { half }) })[0]?.[1];
    expect([gradeOf(0.02), gradeOf(0.06)]).toEqual(['mixed', 'poor']);
  });

  it('offers to cross-fit the attacks on a job that did not, and more held-out rows in any case', () => {
    const actionsOf = (held: number) => {
      const on = { method: 'holdout' as const, folds: 0, train: 2700, holdout: 300, summary: '' };
      const few = privacy(0, { half: 0.06, held });
      return judge({ ...METRICS, measured_on: on, privacy: few })[0]?.next.map(({ action }) => action);
    };
    expect([actionsOf(300), actionsOf(3000)]).toEqual([['cross_fit', 'hold_out_rows'], ['hold_out_rows']]);
  });

  it('never says that there are no copies if there is one, and names the rows', () => {
    const on = { method: 'halves' as const, folds: 0, train: 1000, holdout: 1000, summary: '' };
    const copied_rows = [{ row: 7, real_rows: [12, 40], by_chance: 1e-9 }];
    const copied = { ...privacy(0)!, exact_copies: { ...figure(0.001, 'as good'), rows: 1000 }, copied_rows };
    const none = { ...privacy(0)!, exact_copies: { ...figure(0, 'as good'), rows: 1000 } };
    const [one, other] = [copied, none].map((of) => judge({ ...METRICS, measured_on: on, privacy: of })[0]!);
    expect(one!.headline).toMatch(/^1 row equals a real row\. Privacy was not tested/);
    expect(one!.sentences).toContain(
      'Rows that equal real ones, the least likely by chance first: 7 (real row 12, 40).',
    );
    expect(other!.headline).toMatch(/^No copies of real rows were found\./);
  });

  it('names every privacy figure that is worse, and counts copies once', () => {
    const own = privacy(1);
    const [judged] = judge({ ...METRICS, privacy: own && { ...own, exact_copies: figure(0.5, 'worse') } });
    expect([judged?.grade, judged?.headline]).toEqual([
      'mixed',
      'Worse than for held-out real rows: exact copies and copies of unique rows.',
    ]);
  });

  it('rests on attacks, of whichever figure, and not on the share of nearest rows', () => {
    const worse = figure(0.6, 'worse');
    const fair = figure(0.5, 'as good');
    const near = { ...privacy(0)!, dcr_share: worse, dcr_share_worst: worse };
    expect(gradesOf({ privacy: near })).toEqual([['privacy', 'good']]);
    const attack = {
      score: 'density_ratio',
      over: 'isolated',
      auc: fair,
      true_positives_1: fair,
      highest: fair,
    } as const;
    const [found] = judge({ ...METRICS, privacy: { ...near, membership: [{ ...attack, true_positives_10: worse }] } });
    expect([found?.grade, found?.headline]).toEqual([
      'mixed',
      'Worse than for held-out real rows: membership inference.',
    ]);
  });

  it('says how much attacks may still succeed, at most', () => {
    const privacyOf = { ...privacy(0)!, linkability_excess: { ...figure(0.001, 'as good'), upper: 0.0123 } };
    expect(judge({ ...METRICS, privacy: privacyOf })[0]?.sentences).toContain(
      'Attacks succeed more often on training rows than on held-out rows by at most (95 %): linkability 1.2 %.',
    );
  });

  it('offers a release policy against near rows only where rows are held out, so that it can redraw them', () => {
    const near = { ...privacy(0)!, near_copies: figure(0.6, 'worse') };
    const on = { folds: 5, train: 60, holdout: 60, summary: '' };
    const actionsOf = (method: 'holdout' | 'cross-fitting') =>
      judge({ ...METRICS, measured_on: { method, ...on }, privacy: near })[0]?.next.map(({ action }) => action);
    expect([actionsOf('holdout'), actionsOf('cross-fitting')]).toEqual([['set_policy'], ['use_more_rows']]);
  });

  it('writes figures beside those of real rows, with what they are about', () => {
    const [likeness] = judge({ ...METRICS, fidelity: fidelity('worse') });
    expect(likeness?.headline).toBe('The synthetic rows are easy to tell from real ones.');
    expect(likeness?.sentences).toEqual([
      'Single columns: 80 % agreement with real ones (real rows: 90 %).',
      'Pairs of columns: 80 % agreement (real rows: 90 %).',
      'Strength of associations between columns: 80 % agreement (real rows: 90 %).',
      'A classifier separates synthetic rows from held-out real ones with AUC 0.8 (real rows: 0.9), mainly by "x"; 0.5 = chance.',
      'Largest difference in correlation: "a" and "b", 0.5 in the real rows and 0.25 in the synthetic ones (Cramér’s V).',
    ]);
  });

  it('names the column that is furthest from the real ones, and what would mend it', () => {
    const own = fidelity('worse');
    const column = (name: string, ks: number) => ({
      name,
      kind: 'numeric' as const,
      ks,
      wasserstein: ks,
      total_variation: ks,
      missing_real: 0,
      missing_synthetic: 0,
      reason: null,
    });
    const columns = [column('age', 0.01), column('fare', 0.3)];
    const [judged] = judge({ ...METRICS, fidelity: own && { ...own, columns } });
    expect(judged?.sentences[0]).toBe('Furthest from the real rows: "fare" (Kolmogorov–Smirnov distance 0.3).');
    expect(judged?.next).toEqual([
      { action: 'check_role', column: 'fare', text: expect.stringContaining('Look at "fare": ') },
    ]);
    expect(judge({ ...METRICS, fidelity: fidelity('as good') })[0]?.next).toEqual([]);
  });

  it('names what falls short in the headline: columns of the rows, columns that are predicted, texts', () => {
    const own = fidelity('as good');
    const told = own && {
      ...own,
      discriminator: figure(0.7, 'worse'),
      feature_importance: [{ column: 'x', loss: 0.2 }],
    };
    const categories = ['city', 'island'].map((column) => ({
      column,
      levels: 3,
      auc: figure(0.6, column === 'island' ? 'worse' : 'as good'),
    }));
    const utility = {
      target: figure(0.8, 'as good'),
      categories,
      coefficients: figure(null, null),
      columns_left_out: 0,
    };
    const [likeness, usefulness] = judge({ ...METRICS, fidelity: told, utility });
    expect(likeness?.headline).toBe('The synthetic rows resemble the real ones in most respects, but not in "x".');
    expect(usefulness?.headline).toMatch(/but not those for "island"\.$/);
    expect(usefulness?.next).toEqual([expect.objectContaining({ action: 'check_role', column: 'island' })]);
    expect(usefulness?.sentences[1]).toMatch(/^"island" predicted/);
  });

  it('names a step for every aspect that falls short: another family, too, where coefficients do', () => {
    const utility = {
      target: figure(0.9, 'as good'),
      categories: [],
      columns_left_out: 0,
      coefficients: figure(0.4, 'worse'),
    };
    const [usefulness] = judge({ ...METRICS, utility, regression: regression({}) });
    expect(usefulness?.grade).toBe('poor');
    expect(usefulness?.next).toEqual([expect.objectContaining({ action: 'choose_family', column: 'mass' })]);
  });

  it.each([
    ['language_model', false, ['use_text_base', 'raise_text_epochs']],
    ['language_model', true, ['raise_text_epochs']],
    ['markov_chain', null, ['use_more_rows']],
    ['name_lists', null, []],
    ['cells_of_the_row', false, []],
  ] as const)('mends texts of a %s (from a base: %s) by %j', (writer, from_base, actions) => {
    const good = figure(0.5, 'as good');
    const column = (name: string, bits: MeasuredFigure) => ({
      column: name,
      writer,
      bits_per_character: bits,
      length: good,
      vocabulary: good,
      agreement: [],
      copies: good,
    });
    const columns = [column('title', good), column('plot', figure(3, 'worse'))];
    const [text] = judge({ ...METRICS, text: { from_base, columns, columns_left_out: 0 } });
    expect(text?.headline).toMatch(/not all of "plot"\.$/);
    expect(text?.next.map(({ action }) => action)).toEqual(actions);
  });

  it('offers to keep rare categories only where levels fall short and they were not kept', () => {
    const own = fidelity('as good');
    const level = {
      name: 'city',
      kind: 'category' as const,
      ks: null,
      wasserstein: null,
      total_variation: 0.2,
      missing_real: 0,
      missing_synthetic: 0,
      reason: null,
    };
    const metrics = {
      ...METRICS,
      fidelity: own && { ...own, total_variation: figure(0.2, 'worse'), columns: [level] },
    };
    const actionsOf = (kept: { keptRare: boolean }) => judge(metrics, [], kept)[0]?.next.map(({ action }) => action);
    expect(actionsOf({ keptRare: false })).toEqual(['keep_rare', 'check_role']);
    expect(actionsOf({ keptRare: true })).toEqual(['check_role']);
  });

  it('takes the verdict on the first table of a model for later rows that cannot be judged, and for no others', () => {
    const first = judge({ ...METRICS, fidelity: fidelity('worse'), privacy: privacy(2) });
    const later = judge({ ...METRICS, fidelity: fidelity(null), privacy: privacy(0) }, first);
    expect(later.map(({ area, grade, inherited }) => [area, grade, inherited])).toEqual([
      ['likeness', 'poor', true],
      ['privacy', 'good', false],
    ]);
    expect(later[0]?.headline).toBe(first[0]?.headline);
    expect(judge(METRICS, first).map(({ grade }) => grade)).toEqual(['poor', 'poor']);
  });

  it.each<[string, Partial<JobRegression['predictive_p_values']>, string]>([
    ['its replicated tables are like the real one', { mean: 0.4, sd: 0.6 }, 'good'],
    ['hardly any of its replicated tables varies as the real one', { mean: 0.5, sd: 0.005 }, 'mixed'],
    ['nearly all of its replicated tables have more zeros', { zeros: 1 }, 'mixed'],
    ['its replicated tables reach further, as those of a family without bounds do', { greatest: 1, least: 0 }, 'good'],
  ])('grades a converged target model by what it replicates: %s', (_, shares, grade) => {
    const [judged] = judge({ ...METRICS, regression: regression(shares) });
    expect(judged?.grade).toBe(grade);
    expect(judge({ ...METRICS, regression: regression(shares, { converged: false }) })[0]?.grade).toBe('poor');
  });

  it('names the figure that the target model misses, and says what it means for the table', () => {
    const [judged] = judge({ ...METRICS, regression: regression({ sd: 0.005 }) });
    expect(judged?.headline).toBe('The fit converged, but the target model misses the standard deviation of "mass".');
    expect(judged?.sentences.at(-1)).toMatch(/^Of tables replicated from the model, 0\.5 % have at least/);
    expect(judged?.next).toMatchObject([{ action: 'choose_family', column: 'mass' }]);
  });

  it.each([
    [0.03, 'good'],
    [0.12, 'mixed'],
  ] as const)(
    'grades labels whose probabilities are off by %f as %s, and says how often the likeliest is right',
    (error, grade) => {
      const scores = { log_score: -0.4, log_score_of_shares: -0.6, accuracy: 0.8 };
      const calibration = { rows: 400, bins: [], error, error_by_chance: 0.02, ...scores };
      const label = { levels: [], ordered: false, calibration };
      const [judged] = judge({ ...METRICS, regression: { ...regression({}), label } });
      expect(judged?.grade).toBe(grade);
      expect(judged?.sentences.at(-1)).toContain('80 % have the label that the model says is most probable');
      expect(JSON.stringify(judged?.next)).not.toContain('choose_family');
    },
  );

  it('says of a bare target that its distribution is that of the model', () => {
    const sentencesOf = (own: { calibrated: boolean }) =>
      judge({ ...METRICS, regression: { ...regression({ sd: 0.005 }), ...own } })[0]?.sentences.at(-1);
    expect(sentencesOf({ calibrated: true })).toContain('has the distribution of the real one all the same');
    expect(sentencesOf({ calibrated: false })).toContain(
      'has the distribution of the model, since its draws were not calibrated',
    );
  });

  it('advises more draws first where chains did not converge', () => {
    const [judged] = judge({ ...METRICS, regression: regression({}, { converged: false }) });
    expect(judged).toMatchObject({ area: 'model', headline: 'The fit of the target model is not reliable.' });
    expect(judged?.next.map(({ action }) => action)).toEqual(['raise_draws', 'choose_family']);
  });

  it('says where a regression only describes its target, and no other family would mend what was drawn otherwise', () => {
    const own = { ...regression({}), drawn_by: 'sequence' as const };
    const [judged] = judge({ ...METRICS, regression: own });
    expect(judged?.sentences).toContain(
      'Its synthetic numbers were drawn row by row with the rest of their entity; the regression only describes the real ones.',
    );
    const utility = {
      target: figure(0.5, 'worse'),
      categories: [],
      columns_left_out: 0,
      coefficients: figure(0.9, 'as good'),
    };
    const worse = { ...METRICS, utility };
    const nextOf = (of: JobMetrics['regression']) =>
      judge({ ...worse, regression: of }).find(({ area }) => area === 'usefulness')?.next ?? [];
    expect(nextOf(regression({})).map(({ action }) => action)).toContain('choose_family');
    expect(nextOf(own).map(({ action }) => action)).not.toContain('choose_family');
  });

  it('says that rows were withheld, and why', () => {
    const [found] = judge({ ...METRICS, privacy: privacy(0), release: WITHHELD });
    expect(found?.sentences.at(-1)).toBe(
      'The rows are withheld by the release policy. 3 rows of the table match a unique real row; the policy allows 0.',
    );
  });
});

describe('a stored verdict', () => {
  it('is read without steps that are sentences alone', () => {
    const step = { action: 'leave_out', column: 'a', text: 'Leave it out.' };
    const stored = { area: 'text', grade: 'mixed', headline: 'So so.', sentences: [], next: ['Use more.', step] };
    expect(judgementSchema.parse(stored).next).toEqual([step]);
  });
});
