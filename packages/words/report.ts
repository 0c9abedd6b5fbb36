import type { ColumnKind } from '../contract/columns.ts';
import type { NumericMetrics } from '../contract/metrics.ts';
import type { JobRegression, RegressionMetrics } from '../contract/regressionMetrics.ts';
import type { GridReport, SequenceReport } from '../contract/report.ts';
import type { Judgement } from '../contract/verdicts.ts';
import { decimal } from './format.ts';
import { counted, listed, quoted } from './wording.ts';

const NOT_REQUESTED = 'not requested';

export const AREAS: Readonly<Record<Judgement['area'], string>> = {
  likeness: 'Fidelity',
  usefulness: 'Utility',
  privacy: 'Privacy',
  text: 'Text',
  model: 'Target model',
};

export const GRADES: Readonly<Record<Judgement['grade'], string>> = {
  good: 'good',
  not_shown: 'not shown',
  mixed: 'mixed',
  poor: 'poor',
  unknown: 'not judged',
};

export const MEASURES: Readonly<Record<GridReport['measure'], string>> = {
  pearson: 'Pearson’s correlation',
  spearman: 'Spearman’s correlation',
  correlation_ratio: 'correlation ratio',
  cramers_v: 'Cramér’s V',
};

/** Reasons for unused columns, by kind. */
export const NOT_USED: Readonly<Record<ColumnKind, string>> = {
  continuous: NOT_REQUESTED,
  categorical: NOT_REQUESTED,
  text: NOT_REQUESTED,
  datetime: NOT_REQUESTED,
  identifier: 'not requested; its values identify rows',
  empty: 'not requested; it has no cell',
};

const WORST_FIRST = ['poor', 'mixed', 'not_shown', 'unknown', 'good'] as const;

/** Shown with every list of coefficients. */
export const SHRINKAGE_NOTE =
  'Shrinkage scales are fixed at their most probable values (empirical Bayes), so the interval of a single coefficient does not include the uncertainty of these scales.';

export function overallSentence(judgements: readonly Judgement[], { isWithheld }: { isWithheld: boolean }): string {
  if (judgements.length === 0) return 'This table was not judged.';
  const isGood = judgements.every(({ grade }) => grade === 'good');
  const parts = isGood
    ? [allPassed(judgements.length)]
    : WORST_FIRST.flatMap((grade) => {
        const areas = judgements.filter((judgement) => judgement.grade === grade).map(({ area }) => AREAS[area]);
        return areas.length === 0 ? [] : [`${listed(areas)} ${areas.length === 1 ? 'is' : 'are'} ${GRADES[grade]}`];
      });
  const privacy = judgements.find(({ area }) => area === 'privacy')?.grade;
  const advice = isWithheld
    ? ['the download is blocked until someone releases the rows']
    : privacy === 'good'
      ? []
      : ['do not share this table without review'];
  return `${[...parts, ...advice].join('; ')}.`;
}

const COUNTS = ['', 'The check', 'Both checks', 'All three checks', 'All four checks', 'All five checks'] as const;

const allPassed = (checks: number): string => `${COUNTS[checks] ?? `All ${checks} checks`} passed`;

/** Figures of posterior predictive checks. */
export const REPLICATED: Readonly<Record<keyof RegressionMetrics['predictive_p_values'], string>> = {
  mean: 'mean',
  sd: 'standard deviation',
  zeros: 'number of zeros',
  least: 'minimum',
  greatest: 'maximum',
};

export const figureName = (key: string): string => FIGURES[key] ?? key.replaceAll('_', ' ');

const FIGURES: Readonly<Record<string, string>> = {
  one_way: 'agreement of single columns (1 is best)',
  two_way: 'agreement of pairs (1 is best)',
  three_way: 'agreement of triples (1 is best)',
  ks: 'Kolmogorov–Smirnov distance from held-out rows (0 is best)',
  wasserstein: 'Wasserstein distance from held-out rows (0 is best)',
  total_variation: 'total variation (0 is best)',
  missingness: 'difference in missing cells (0 is best)',
  pearson: 'Pearson’s correlations, difference (0 is best)',
  spearman: 'Spearman’s correlations, difference (0 is best)',
  correlation_ratio: 'correlation ratios, difference (0 is best)',
  cramers_v: 'Cramér’s V, difference (0 is best)',
  association_strength: 'strength of associations, agreement (1 is best)',
  coherence: 'agreement of a row with the next of its entity (1 is best)',
  sequence_lengths: 'Kolmogorov–Smirnov distance of rows per entity (0 is best)',
  sequence_copies: 'entities whose rows nearly equal a training entity’s',
  discriminator: 'held-out or synthetic, AUC of a classifier (0.5 is best)',
  discriminator_training: 'training row or synthetic, AUC of a classifier (far below 0.5: copies)',
  target: 'R² of the target, trained on synthetic, tested on real rows',
  coefficients: 'overlap of coefficients (1 is best)',
  exact_copies: 'rows that equal a training row, texts aside',
  unique_copies: 'rows that match a unique real row',
  look_ups: 'attribute inference by look-up',
  strange_rows: 'near copies among rows with numbers of their own (0.5 is best)',
  near_copies: 'rows closer than the closest 5 % of real ones',
  dcr_share: 'share closer to training than to held-out rows (0.5 is best)',
  dcr_share_worst: 'share closer to training rows, worst group of columns',
  neighbour_ratio: 'distance ratio, nearest to second nearest (near 0: copies)',
  membership_inference: 'membership inference, AUC (0.5 is best)',
  copies_but_one: 'rows that equal a training row in all columns but one',
  membership: 'membership inference',
  true_positives_1: 'true positives at 1 % false ones',
  true_positives_10: 'true positives at 10 % false ones',
  highest: 'training rows among the highest scores (0.5 is best)',
  singling_out: 'singling-out attack, share that hit training rows',
  singling_out_excess: 'singling out, excess over held-out rows (0 is best)',
  linkability_excess: 'linkability, excess over held-out rows (0 is best)',
  attribute_excess: 'attribute inference, excess over held-out rows (0 is best)',
  text_memorisation: 'texts with a long run of a real text',
};

/** Shown with `numeric` metrics beside figures of fewer rows. */
export function distanceWords(rows: number, distances: readonly (number | null)[]): string {
  const known = distances.filter((distance) => distance !== null).length;
  const some = known < distances.length ? ` ${known} of ${counted(distances.length, 'column')} have one.` : '';
  return `Distance: Kolmogorov–Smirnov for numbers, total variation for categories, ${counted(rows, 'row')}; 0 is best.${some}`;
}

export const OVER_ALL_ROWS = 'Computed on all rows; not comparable with the table above.';

export const METRICS: Readonly<Record<keyof NumericMetrics, { title: string; meaning: string }>> = {
  'KS (Avg)': {
    title: 'Kolmogorov–Smirnov distance',
    meaning:
      'largest gap between the real and the synthetic cumulative distribution, mean over numeric columns; 0 = equal',
  },
  'WD (Avg)': {
    title: 'Wasserstein distance',
    meaning: 'mean over numeric columns, in standard deviations of the real column; 0 = equal',
  },
  'Corr Diff (F-Norm)': {
    title: 'Correlation difference',
    meaning: 'Frobenius norm of the difference between the correlation matrices; 0 = equal',
  },
  'DCR (Avg)': {
    title: 'Distance to the closest real row',
    meaning: 'mean distance to the closest training row; much less than for held-out rows suggests copying',
  },
  'Duplicate Rate (%)': {
    title: 'Duplicate rows',
    meaning: 'percentage of synthetic rows that equal a training row in all columns, texts included',
  },
  'TSTR R²': {
    title: 'Train on synthetic, test on real: R²',
    meaning: 'share of the variance of the real target that a model trained on synthetic rows explains; 1 = all of it',
  },
  'TSTR RMSE': {
    title: 'Train on synthetic, test on real: RMSE',
    meaning: 'typical error of that model on real rows, in units of the target; lower is better',
  },
  family: { title: 'Target family', meaning: 'distribution that the target was modelled with' },
};

export const targetNumbers = ({
  drawn_by,
  calibrated,
  label,
}: Pick<JobRegression, 'drawn_by' | 'calibrated' | 'label'>): string =>
  ({
    regression: calibrated
      ? label
        ? 'calibrated to the shares of the labels'
        : 'calibrated to the column'
      : 'posterior predictive draws',
    sequence: 'drawn row by row with the rest of their entity; the regression only describes the real ones',
    relation: 'computed from other columns; the regression only describes the real ones',
  })[drawn_by];

/** "−2,422 ± 13.1" and its basis, or "–". */
export function looText({ loo }: Pick<JobRegression, 'loo'>): string {
  if (!loo) return '–';
  const rough = loo.bad_shapes === 0 ? '' : `; Pareto k is too large in ${loo.bad_shapes} of them`;
  return `${decimal(loo.elpd)} ± ${decimal(loo.se)} (${counted(loo.rows, 'row')} left out in turn${rough})`;
}

export const sequenceWords = (key: string | null): string =>
  `Numbers from row to row of ${key === null ? 'an entity' : `one ${quoted(key)}`}. Of the real entities that have such a row: their median, and bands that hold half and four fifths of them. Of the synthetic table: its first entities of two rows or more, a line each. No real sequence is shown.`;

/** Describes a chart, and why one side is empty. */
export function sequenceCaption({ real, synthetic }: SequenceReport): string {
  const [first, last] = [real[0], real.at(-1)];
  const median =
    first && last
      ? `Real median ${decimal(first.q50)} in row 1, ${decimal(last.q50)} in row ${real.length}`
      : 'Real entities are not shown, since fewer than 100 have numbers in their first two rows';
  const made = synthetic
    ? `${counted(synthetic.length, 'synthetic entity', 'synthetic entities')} drawn`
    : 'synthetic entities are withheld by the release policy';
  return `${median}; ${made}.`;
}
