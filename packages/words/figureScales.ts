/**
 * Describes figures by path, unless their schema has a description. `npm run docs:figures` writes them into
 * docs/results.md.
 */

export interface FigureScale {
  /** Unit, range and direction. */
  scale: string;
  rows: string;
  /** Besides keys, which all figures omit. */
  leavesOut: string;
}

const NO_TEXTS = 'texts';
const NUMBERS_ONLY = 'texts, categories, missing cells';
const SHARE_ZERO = 'share, 0 to 1; 0 is best';
const AGREEMENT = '0 to 1; 1 is best';
const EXCESS = 'difference of two shares, −1 to 1; 0 or below is best';
const CHANCE = 'AUC, 0 to 1; 0.5 is chance and best, above it training rows are found';

const ALL_ROWS = 'all synthetic rows against all training rows';
const COMPARED =
  'as many synthetic rows as training rows, 10,000 at most, against held-out rows; its holdout: training rows against the same';
const COPIES = 'synthetic rows, 50,000 at most, against training rows';
const ATTACKED = 'held-out rows, 3,000 at most, and as many training rows; synthetic rows are what the attacker has';
const ASKED = 'synthetic rows, 3,000 at most, against training rows';
const TEXTS = 'texts of the released table, 2,000 of a column at most';

const TIED: Readonly<Record<'correlations' | 'strengths', FigureScale>> = {
  correlations: {
    scale: 'root mean square over pairs of columns, 0 to 2; 0 is best',
    rows: COMPARED,
    leavesOut: `${NUMBERS_ONLY}; pairs in which a column does not vary`,
  },
  strengths: {
    scale: 'root mean square over pairs of columns, 0 to 1; 0 is best',
    rows: COMPARED,
    leavesOut: 'texts, missing cells; pairs in which a column does not vary',
  },
};

const ofBins = (of: string): FigureScale => ({
  scale: `${AGREEMENT} (1 less total variation, mean over ${of})`,
  rows: COMPARED,
  leavesOut: 'texts; differences within a bin: tenths of the training numbers, levels beyond the ten most frequent',
});

const MEMBERSHIP_RATE: Omit<FigureScale, 'scale'> = { rows: ATTACKED, leavesOut: NO_TEXTS };

export const FIGURE_SCALES: Readonly<Record<string, FigureScale>> = {
  'numeric.KS (Avg)': { scale: '0 to 1; 0 is best', rows: ALL_ROWS, leavesOut: NUMBERS_ONLY },
  'numeric.WD (Avg)': {
    scale: 'standard deviations of the training column, from 0; 0 is best',
    rows: ALL_ROWS,
    leavesOut: `${NUMBERS_ONLY}; columns that do not vary in the training rows`,
  },
  'numeric.Corr Diff (F-Norm)': {
    scale: 'from 0 to 2√(p(p − 1)) for p numeric columns, so it grows with their number; 0 is best',
    rows: `${ALL_ROWS}; if rows × p² is above 10⁹, evenly spread ones`,
    leavesOut: `${NUMBERS_ONLY}; pairs in which a column does not vary`,
  },
  'numeric.DCR (Avg)': {
    scale:
      'Gower distance, 0 to 1: the mean over columns of |a − b| / range of the training column for numbers (1 at most), of 0 or 1 for categories and missing cells. 0 is a copy; neither end is best: compare with metrics.holdout',
    rows: 'synthetic rows, 10,000 at random at most, each to the nearest of all training rows; held-out rows are not looked at',
    leavesOut: NO_TEXTS,
  },
  'numeric.Duplicate Rate (%)': {
    scale: 'percent, 0 to 100; neither end is best: compare with metrics.holdout',
    rows: `${ALL_ROWS}; numbers are equal by value, missing cells are equal`,
    leavesOut: 'nothing but keys: texts have to be equal, too',
  },
  'numeric.TSTR R²': {
    scale: 'up to 1, which is best; 0 is the mean of the tested rows, below 0 is worse than that mean',
    rows: 'trees trained on synthetic rows, 50,000 at most, tested on all held-out rows; of few rows in five folds',
    leavesOut: 'texts, rows without a target; null for a target of labels',
  },
  'numeric.TSTR RMSE': {
    scale: 'units of the target, from 0; lower is better',
    rows: 'as TSTR R²',
    leavesOut: 'as TSTR R²',
  },

  'fidelity.one_way': ofBins('columns'),
  'fidelity.two_way': ofBins('pairs of columns'),
  'fidelity.three_way': ofBins('60 triples of columns at random at most'),
  'fidelity.ks': { scale: '0 to 1, mean over columns; 0 is best', rows: COMPARED, leavesOut: NUMBERS_ONLY },
  'fidelity.wasserstein': {
    scale: 'standard deviations of the training column, from 0, mean over columns; 0 is best',
    rows: COMPARED,
    leavesOut: `${NUMBERS_ONLY}; columns that do not vary in the training rows`,
  },
  'fidelity.total_variation': {
    scale: '0 to 1, mean over categories; 0 is best',
    rows: COMPARED,
    leavesOut: 'texts, numbers, missing cells',
  },
  'fidelity.missingness': {
    scale: 'difference of two shares of cells, 0 to 1, mean over columns; 0 is best',
    rows: COMPARED,
    leavesOut: NO_TEXTS,
  },
  'fidelity.pearson': TIED.correlations,
  'fidelity.spearman': TIED.correlations,
  'fidelity.correlation_ratio': TIED.strengths,
  'fidelity.cramers_v': {
    ...TIED.strengths,
    leavesOut: 'texts, missing cells; levels beyond the 50 most frequent count as one',
  },
  'fidelity.association_strength': {
    scale: AGREEMENT,
    rows: COMPARED,
    leavesOut: 'texts; pairs of columns that are weaker than 0.2 in the training rows',
  },
  'fidelity.discriminator': {
    scale: 'AUC, 0 to 1; 0.5 is best, above it rows are told apart',
    rows: 'held-out rows, 5,000 at most, against as many synthetic ones, in four samples of these at most; each is scored by trees that did not see it',
    leavesOut: NO_TEXTS,
  },
  'fidelity.discriminator_training': {
    scale:
      'AUC, 0 to 1; neither end is best: below discriminator the table follows the chance of its training rows, far below 0.5 it has copies of them',
    rows: 'training rows, 5,000 at most, against as many synthetic ones',
    leavesOut: NO_TEXTS,
  },
  'fidelity.feature_importance.loss': {
    scale: 'loss of AUC, 0 to 1; 0 is best',
    rows: 'as discriminator',
    leavesOut: 'losses up to 0.001, and columns beyond the ten largest',
  },
  'fidelity.columns.ks': { scale: '0 to 1; 0 is best', rows: COMPARED, leavesOut: NUMBERS_ONLY },
  'fidelity.columns.wasserstein': {
    scale: 'standard deviations of the training column, from 0; 0 is best',
    rows: COMPARED,
    leavesOut: NUMBERS_ONLY,
  },
  'fidelity.columns.total_variation': {
    scale: '0 to 1; 0 is best. Of categories over all levels, of numbers over tenths of the training rows',
    rows: COMPARED,
    leavesOut: 'texts, missing cells',
  },
  'fidelity.columns.missing_real': { scale: 'share, 0 to 1', rows: 'held-out rows', leavesOut: NO_TEXTS },
  'fidelity.columns.missing_synthetic': {
    scale: 'share, 0 to 1; that of the real column is best',
    rows: 'as many synthetic rows as training rows, 10,000 at most',
    leavesOut: NO_TEXTS,
  },
  'fidelity.largest_gaps.real': {
    scale: 'strength of an association: −1 to 1 for correlations, else 0 to 1',
    rows: 'all real rows, 10,000 at most',
    leavesOut: NO_TEXTS,
  },
  'fidelity.largest_gaps.synthetic': {
    scale: 'the same; that of the real rows is best',
    rows: 'synthetic rows, 10,000 at most',
    leavesOut: NO_TEXTS,
  },
  'fidelity.coherence': {
    scale: `${AGREEMENT} (1 less total variation of a column in one row and the next)`,
    rows: 'as many synthetic entities as were trained on, 5,000 at most, against held-out entities',
    leavesOut: 'texts; columns that are constant within entities',
  },
  'fidelity.sequence_lengths': {
    scale: 'Kolmogorov–Smirnov distance of the rows per entity, 0 to 1; 0 is best',
    rows: 'as coherence',
    leavesOut: 'everything but the numbers of rows',
  },

  'utility.target': {
    scale: 'R², up to 1, which is best; 0 is the mean of the tested rows',
    rows: 'trained on synthetic rows, tested on held-out rows',
    leavesOut: 'texts, rows without a target; null for a target of labels',
  },
  'utility.categories.auc': {
    scale: 'AUC, 0 to 1; 0.5 is chance, 1 is best. Mean over the most frequent levels, four at most',
    rows: 'trees trained on synthetic rows, 5,000 at most, tested on held-out rows',
    leavesOut: 'texts; categories of one level, of more than 20 levels, and beyond the first 20',
  },
  'utility.coefficients': {
    scale: AGREEMENT,
    rows: 'as many synthetic rows as training rows, and no more than were held out or than 10,000',
    leavesOut: 'texts, rows with a missing number, levels beyond six of a category, coefficients beyond 60',
  },

  'privacy.exact_copies': {
    scale: 'share, 0 to 1; neither end is best: compare with its holdout',
    rows: COPIES,
    leavesOut: NO_TEXTS,
  },
  'privacy.unique_copies': {
    scale: 'share, 0 to 1; neither end is best: compare with its holdout',
    rows: COPIES,
    leavesOut: 'texts; training rows that occur twice',
  },
  'privacy.copies_but_one': {
    scale: 'share, 0 to 1; neither end is best: compare with its holdout',
    rows: COPIES,
    leavesOut: 'texts; tables of fewer than three columns; columns without which training rows are often equal',
  },
  'privacy.copied_rows.by_chance': {
    scale: 'expected number of rows, from 0; below 0.001 the copy is no chance',
    rows: 'all synthetic rows, 50,000 at most, against all real rows that fewer than five share',
    leavesOut: 'texts; copies beyond the 100 least likely by chance',
  },
  'privacy.strange_rows': {
    scale: 'share, 0 to 1; 0.5 is best, above it noisy copies of training rows are found',
    rows: 'synthetic rows, 5,000 at most, in the group that is least likely by chance; held-out rows, 3,000 at most, and as many training rows',
    leavesOut: NO_TEXTS,
  },
  'privacy.look_ups.advantage': {
    scale: EXCESS,
    rows: 'held-out rows, 1,000 at most, and as many training rows; synthetic rows, 10,000 at most, are looked up',
    leavesOut: 'texts; known columns beyond the 12 with most different cells, and pairs beyond those of the first four',
  },
  'privacy.membership.highest': {
    scale: 'share, 0 to 1; 0.5 is best, above it training rows are found',
    rows: 'the persons who score highest, of as many training rows as held-out ones: of 10, 20, 40 and so on those that are least likely by chance',
    leavesOut: NO_TEXTS,
  },
  'privacy.near_copies': {
    scale: 'share, 0 to 1; about 0.05, which held-out rows have, or below is best',
    rows: ASKED,
    leavesOut: NO_TEXTS,
  },
  'privacy.dcr_share': {
    scale: 'share, 0 to 1; 0.5 is best, above it rows lie nearer to training rows',
    rows: 'synthetic rows, 3,000 at most, against held-out rows, 3,000 at most, and as many training rows',
    leavesOut: NO_TEXTS,
  },
  'privacy.dcr_share_worst': {
    scale: 'as dcr_share; the interval allows for having chosen the group of columns',
    rows: 'as dcr_share',
    leavesOut: 'texts; columns outside of the group (`worst_columns`)',
  },
  'privacy.neighbour_ratio': {
    scale: 'distance over distance, 0 to 1; near 0 is copying: compare with its holdout',
    rows: ASKED,
    leavesOut: NO_TEXTS,
  },
  'privacy.membership_inference': { scale: CHANCE, ...MEMBERSHIP_RATE },
  'privacy.membership.auc': { scale: CHANCE, ...MEMBERSHIP_RATE },
  'privacy.membership.true_positives_1': {
    scale: 'share of training rows, 0 to 1; 0.01 is chance and best',
    ...MEMBERSHIP_RATE,
  },
  'privacy.membership.true_positives_10': {
    scale: 'share of training rows, 0 to 1; 0.1 is chance and best',
    ...MEMBERSHIP_RATE,
  },
  'privacy.attribute_inference.advantage': {
    scale: EXCESS,
    rows: 'held-out rows, 3,000 at most, and up to four times as many training rows',
    leavesOut: 'texts; columns beyond the three most sensitive',
  },
  'privacy.singling_out': {
    scale: 'share, 0 to 1; 0.5 is best, above it training rows are found oftener than held-out ones',
    rows: 'guesses from 1,000 synthetic rows at most, against training and held-out rows',
    leavesOut: NO_TEXTS,
  },
  'privacy.singling_out_excess': {
    scale: `${EXCESS}; \`upper\` bounds it`,
    rows: 'guesses from 5,000 synthetic rows at most, against held-out rows and as many training rows',
    leavesOut: NO_TEXTS,
  },
  'privacy.linkability_excess': {
    scale: `${EXCESS}; \`upper\` bounds it`,
    rows: 'held-out rows, 2,000 at most, and as many training rows',
    leavesOut: NO_TEXTS,
  },
  'privacy.attribute_excess': {
    scale: `${EXCESS}; \`upper\` bounds it`,
    rows: 'as attribute_inference',
    leavesOut: 'texts; columns beyond twelve',
  },
  'privacy.text_memorisation': {
    scale: 'share of texts, 0 to 1; neither end is best: compare with its holdout',
    rows: `${TEXTS}, against 2,000,000 training characters at most`,
    leavesOut: 'all but texts; text columns but the one that repeats most',
  },
  'privacy.sequence_copies': {
    scale: SHARE_ZERO,
    rows: 'synthetic entities of five rows or more against training entities',
    leavesOut: 'texts; entities of fewer than five rows',
  },

  'text.columns.bits_per_character': {
    scale: 'bits, from 0; lower is better: compare with its holdout',
    rows: 'held-out texts, 50,000 characters at most, under a model of as many synthetic texts',
    leavesOut: 'all but texts',
  },
  'text.columns.length': {
    scale: 'Kolmogorov–Smirnov distance, 0 to 1; 0 is best',
    rows: 'as many synthetic texts as were trained on, against held-out texts',
    leavesOut: 'all but the lengths of texts, in characters',
  },
  'text.columns.vocabulary': {
    scale: 'share of words, 0 to 1; that of real texts (its holdout) is best',
    rows: 'words of held-out texts among those of synthetic texts',
    leavesOut: 'all but texts',
  },
  'text.columns.agreement.accuracy': {
    scale: 'share, 0 to 1; that of real texts (its holdout) is best',
    rows: 'held-out rows, 2,000 at most; the classifier is trained on synthetic rows',
    leavesOut: 'columns but the target and the first category',
  },
  'text.columns.copies': {
    scale: 'share, 0 to 1; neither end is best: compare with its holdout',
    rows: 'all texts of the released table against all training texts',
    leavesOut: 'all but texts',
  },
};
