import type { Grade } from '../../../contract/grades.ts';
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { ColumnFidelity, FidelityMetrics, JobMetrics } from '../../../contract/metrics.ts';
import type { JobRegression } from '../../../contract/regressionMetrics.ts';
import type { Judgement, NextStep } from '../../../contract/verdicts.ts';
import { decimal, familyName, share } from '../../../words/format.ts';
import { MEASURES, REPLICATED, targetNumbers } from '../../../words/report.ts';
import { counted, listed, quoted } from '../../../words/wording.ts';
import { followsTraining } from '../fidelity/followsTraining.ts';
import { privacy } from './judgePrivacy.ts';
import { text } from './judgeText.ts';
import {
  checkRole,
  type Figures,
  figureOfEntities,
  type GradeBeside,
  gradeOf,
  type Judged,
  MORE_ROWS,
  said,
} from './judging.ts';

/** AUC of easy separation. */
const TOLD_APART = 0.8;
/** Minimum AUC and loss for naming columns. */
const NAMES_COLUMNS = { auc: 0.55, loss: 0.005 };
const MAX_CATEGORIES = 3;

/**
 * Grades by area. `before` are verdicts on the model's first table, which replace those that later rows cannot support.
 */
export function judge(
  metrics: Figures,
  before: readonly Judgement[] = [],
  { keptRare } = { keptRare: false },
): Judgement[] {
  const own = [
    likeness(metrics, keptRare),
    usefulness(metrics),
    privacy(metrics),
    text(metrics),
    model(metrics),
  ].filter((judgement) => judgement !== null);
  const judged = own.map((judgement) => {
    const first = before.find(({ area }) => area === judgement.area);
    return judgement.grade === 'unknown' && first ? inherited(first) : { ...judgement, inherited: false };
  });
  const areas = new Set(own.map(({ area }) => area));
  return [...judged, ...before.filter(({ area }) => !areas.has(area)).map(inherited)];
}

const inherited = (first: Judgement): Judgement => ({
  ...first,
  sentences: ['Judged by the first table of this model: these rows alone cannot be.', ...first.sentences],
  inherited: true,
});

function likeness({ fidelity }: Figures, keptRare: boolean): Judged | null {
  if (!fidelity) return null;
  const { one_way, two_way, ks, total_variation, missingness, discriminator, discriminator_training } = fidelity;
  const ofEntities = ['coherence', 'sequence_lengths'].flatMap((name) => figureOfEntities(fidelity, name));
  const ofRows = [
    one_way,
    two_way,
    fidelity.three_way,
    ks,
    total_variation,
    missingness,
    discriminator,
    discriminator_training,
    fidelity.association_strength,
  ];
  const beside = gradeOf([...ofRows, ...ofEntities]);
  const isNearer = ofRows.some(({ verdict }) => verdict === 'suspiciously better');
  const grade = beside !== 'good' ? beside : isNearer ? 'mixed' : isShown(fidelity) ? 'good' : 'not_shown';
  const headlines: Record<Grade, string> = {
    good: 'The synthetic rows resemble the real ones as closely as other real rows do.',
    not_shown:
      'No difference between the synthetic and the real rows was found, but too few real rows are unseen to exclude one.',
    mixed: isNearer
      ? 'The synthetic rows are nearer to real rows than other real rows are.'
      : `The synthetic rows resemble the real ones in most respects, but not in ${failingIn(fidelity)}.`,
    poor:
      (discriminator.value ?? discriminator_training.value ?? 0) >= TOLD_APART
        ? 'The synthetic rows are easy to tell from real ones.'
        : 'The synthetic rows differ from the real ones more than other real rows do.',
    unknown: 'There were too few real rows to judge fidelity.',
  };
  const sentences = [...nearer(ofRows, fidelity), ...furthest(fidelity), ...likenessSentences(fidelity)];
  return {
    area: 'likeness',
    grade,
    headline: headlines[grade],
    sentences,
    next: likenessNext(fidelity, grade, keptRare),
  };
}

/** True if enough unseen rows support equality. */
const isShown = ({ discriminator }: FidelityMetrics): boolean => discriminator.verdict === 'as good';

/** Nearness to training rows suggests copying; nearness to held-out rows suggests their use. */
function nearer(figures: readonly MeasuredFigure[], { discriminator_training }: FidelityMetrics): string[] {
  const isCopy = discriminator_training.verdict === 'suspiciously better';
  const isLeak = figures.some((one) => one !== discriminator_training && one.verdict === 'suspiciously better');
  const auc = decimal(discriminator_training.value);
  return [
    ...(isCopy
      ? [`A classifier takes training rows for synthetic ones (AUC ${auc}), as it does if rows are copied.`]
      : []),
    ...(isLeak
      ? [
          'They are nearer to the held-out rows than independent rows can be: those rows were probably used to make them.',
        ]
      : []),
  ];
}

/** The worst column of each kind that is worse than held-out rows. */
function furthestColumns({ ks, total_variation, missingness, columns }: FidelityMetrics): [string, string][] {
  const worst = (kind: ColumnFidelity['kind'], of: (column: ColumnFidelity) => number | null, title: string) => {
    const [first] = columns.filter((column) => column.kind === kind).sort((a, b) => (of(b) ?? 0) - (of(a) ?? 0));
    return first ? [[first.name, `${title} ${decimal(of(first))}`] satisfies [string, string]] : [];
  };
  const gap = ({ missing_real, missing_synthetic }: ColumnFidelity) =>
    Math.abs((missing_real ?? 0) - (missing_synthetic ?? 0));
  const [gappy] = columns.toSorted((a, b) => gap(b) - gap(a));
  return [
    ...(ks.verdict === 'worse' ? worst('numeric', (column) => column.ks, 'Kolmogorov–Smirnov distance') : []),
    ...(total_variation.verdict === 'worse'
      ? worst('category', (column) => column.total_variation, 'total variation')
      : []),
    ...(missingness.verdict === 'worse' && gappy && gap(gappy) > 0
      ? [[gappy.name, `missing cells ${share(gap(gappy))} apart`] satisfies [string, string]]
      : []),
  ];
}

const furthest = (fidelity: FidelityMetrics): string[] =>
  furthestColumns(fidelity).map(([name, why]) => `Furthest from the real rows: ${quoted(name)} (${why}).`);

function failingColumns(fidelity: FidelityMetrics): string[] {
  const furthest = furthestColumns(fidelity).map(([name]) => name);
  if (furthest.length > 0) return [...new Set(furthest)];
  const useful = fidelity.feature_importance.filter(({ loss }) => loss > NAMES_COLUMNS.loss);
  const { discriminator, discriminator_training } = fidelity;
  const isSeparated = [discriminator, discriminator_training].some(({ verdict }) => verdict === 'worse');
  return isSeparated && useful.length > 0
    ? useful.slice(0, 2).map(({ column }) => column)
    : [...(fidelity.largest_gaps[0]?.columns ?? [])];
}

function failingIn(fidelity: FidelityMetrics): string {
  const columns = failingColumns(fidelity).map(quoted);
  return columns.length > 0 ? listed(columns, MAX_CATEGORIES) : 'all';
}

function likenessNext(fidelity: FidelityMetrics, grade: Grade, keptRare: boolean): NextStep[] {
  if (grade === 'good') return [];
  if (grade === 'unknown' || grade === 'not_shown') return [MORE_ROWS];
  const isCategory = (of: string) => fidelity.columns.some(({ name, kind }) => name === of && kind === 'category');
  const columns = failingColumns(fidelity);
  // Keeping rare levels only mends their shares.
  const rare = fidelity.total_variation.verdict === 'worse' && !keptRare ? columns.filter(isCategory) : [];
  return [...rare.map(keepRare), ...columns.slice(0, 2).map(checkRole)];
}

const keepRare = (column: string): NextStep => ({
  action: 'keep_rare',
  column,
  text: `If the rare categories of ${quoted(column)} matter, keep them (keep_rare) and run again.`,
});

function likenessSentences(fidelity: NonNullable<JobMetrics['fidelity']>): string[] {
  const { one_way, two_way, discriminator, discriminator_training, feature_importance, largest_gaps } = fidelity;
  const named = feature_importance.filter(({ loss }) => loss > NAMES_COLUMNS.loss).map(({ column }) => quoted(column));
  const mainly = (auc: number) =>
    named.length > 0 && auc > NAMES_COLUMNS.auc ? `, mainly by ${listed(named, MAX_CATEGORIES)}` : '';
  return [
    ...said(
      one_way,
      (value) => `Single columns: ${share(value)} agreement with real ones${besideReal(one_way, share)}.`,
    ),
    ...said(two_way, (value) => `Pairs of columns: ${share(value)} agreement${besideReal(two_way, share)}.`),
    ...saidOfStrength(fidelity.association_strength),
    ...said(
      discriminator,
      (auc) =>
        `A classifier separates synthetic rows from held-out real ones with AUC ${decimal(auc)}${besideReal(discriminator, decimal)}${mainly(auc)}; 0.5 = chance.`,
    ),
    ...notExcluded(discriminator),
    ...(discriminator.value === null ? beside(discriminator_training, mainly) : []),
    ...(followsTraining(fidelity)
      ? [
          `It separates them less well from training rows (AUC ${decimal(discriminator_training.value)}): the table follows the chance of those rows, so that whoever has all of them can tell that it was made from them.`,
        ]
      : []),
    ...largest_gaps.slice(0, 1).map(({ columns, real, synthetic, measure }) => {
      const [a, b] = columns.map(quoted);
      return `Largest difference in correlation: ${a} and ${b}, ${decimal(real)} in the real rows and ${decimal(synthetic)} in the synthetic ones (${MEASURES[measure]}).`;
    }),
  ];
}

const besideReal = ({ holdout }: MeasuredFigure, write: (value: number) => string): string =>
  holdout === null ? '' : ` (real rows: ${write(holdout)})`;

const notExcluded = ({ value, high, rows, verdict }: MeasuredFigure): string[] =>
  value === null || high === null || verdict === 'worse'
    ? []
    : [`With ${counted(rows, 'held-out row')}, an AUC up to ${decimal(high)} is not excluded.`];

/** A table is harder to tell from its own rows. */
const beside = (figure: MeasuredFigure, mainly: (auc: number) => string): string[] =>
  said(
    figure,
    (auc) =>
      `A classifier separates synthetic rows from real ones with AUC ${decimal(auc)}${mainly(auc)}; 0.5 = chance. No real row is known to be unseen by whoever made the table: of unseen rows it would be higher.`,
  );

function saidOfStrength(figure: FidelityMetrics['association_strength']): string[] {
  if (figure.verdict !== 'worse') return [];
  return said(
    figure,
    (value) => `Strength of associations between columns: ${share(value)} agreement${besideReal(figure, share)}.`,
  );
}

function usefulness({ utility, regression, sample_sizes: sizes }: Figures): Judged | null {
  if (!utility) return null;
  const { target, categories, coefficients } = utility;
  const figures = [target, ...categories.map(({ auc }) => auc), coefficients].filter(({ value }) => value !== null);
  if (figures.length === 0) return null;
  const grade = gradeOf(figures);
  const targetName = regression ? quoted(regression.target) : 'the target';
  const worse = categories.filter(({ auc }) => auc.verdict === 'worse');
  const failing = listed(
    [
      ...(target.verdict === 'worse' ? [targetName] : []),
      ...worse.map(({ column }) => quoted(column)),
      ...(coefficients.verdict === 'worse' ? ['the coefficients of a linear regression'] : []),
    ],
    MAX_CATEGORIES,
  );
  const headlines: Record<GradeBeside, string> = {
    good: 'Models trained on the synthetic rows work as well on real rows as models trained on real rows.',
    mixed: `Most models trained on the synthetic rows work as well on real rows as models trained on real rows, but not those for ${failing}.`,
    poor: `Models trained on the synthetic rows work less well on real rows than models trained on real rows: those for ${failing}.`,
    unknown: 'There were too few real rows to judge utility.',
  };
  const sentences = [
    ...said(
      target,
      (value) =>
        `${targetName} predicted for real rows: R² ${decimal(value)} when trained on ${rowsOf(sizes.tstr_train, 'synthetic row')}, ${decimal(target.holdout)} when trained on ${rowsOf(sizes.tstr_train_holdout, 'real row')}.`,
    ),
    ...[...worse, ...categories.filter((category) => !worse.includes(category))]
      .slice(0, MAX_CATEGORIES)
      .flatMap(({ column, auc }) =>
        said(
          auc,
          (value) =>
            `${quoted(column)} predicted from the other columns: AUC ${decimal(value)} when trained on the synthetic rows, ${decimal(auc.holdout)} on real rows.`,
        ),
      ),
    ...said(coefficients, (value) => `Intervals of regression coefficients overlap by ${share(value)} on average.`),
  ];
  const isOff = target.verdict === 'worse' || coefficients.verdict === 'worse';
  const family = isOff && regression?.drawn_by === 'regression' ? [otherFamily(regression.target)] : [];
  const next = grade === 'unknown' ? [MORE_ROWS] : [...family, ...worse.map(({ column }) => checkRole(column))];
  return { area: 'usefulness', grade, headline: headlines[grade], sentences, next };
}

const rowsOf = (count: number | undefined, noun: string): string =>
  count === undefined ? `as many ${noun}s` : counted(count, noun);

function model({ regression }: Figures): Judged | null {
  if (!regression) return null;
  const { converged, summary, target, family, rows, calibrated, drawn_by, label } = regression;
  const missed = missedFigures(regression);
  const names = listed(missed.map(([name]) => `the ${REPLICATED[name]}`));
  const isOff = isMiscalibrated(label);
  const grade = !converged ? 'poor' : missed.length > 0 || isOff ? 'mixed' : 'good';
  const headlines = {
    good: 'The fit of the target model is reliable.',
    mixed: `The fit converged, but the target model misses ${isOff ? `how often the labels of ${quoted(target)} come` : `${names} of ${quoted(target)}`}.`,
    poor: 'The fit of the target model is not reliable.',
  };
  const sentences = [
    `${quoted(target)} was modelled as ${familyName(family)}, fitted to ${counted(rows, 'row')}.`,
    ...(drawn_by === 'regression'
      ? []
      : [`Its synthetic ${label ? 'labels' : 'numbers'} were ${targetNumbers(regression)}.`]),
    summary,
    ...calibrationSentences(label),
    ...missed.map(
      ([name, value]) =>
        `Of tables replicated from the model, ${share(value)} have at least the ${REPLICATED[name]} of the real rows. ${drawn_by !== 'regression' || calibrated ? CALIBRATED : BARE}`,
    ),
  ];
  const next = label
    ? { good: [], mixed: [MORE_ROWS], poor: [raiseDraws(target)] }
    : { good: [], mixed: [otherFamily(target)], poor: [raiseDraws(target), otherFamily(target)] };
  return { area: 'model', grade, headline: headlines[grade], sentences, next: next[grade] };
}

const CALIBRATED =
  'The synthetic column has the distribution of the real one all the same: it is coefficients and their intervals that suffer.';
const BARE = 'The synthetic column has the distribution of the model, since its draws were not calibrated.';

/** Tail share of replicated tables at which the model misses a figure (2 of 200). */
const MISSED = 0.01 + 1e-9;

/** Excludes extremes, which unbounded families miss. */
const missedFigures = ({ predictive_p_values: shares }: JobRegression) =>
  (['mean', 'sd', 'zeros'] as const).flatMap((name): [typeof name, number][] => {
    const value = shares[name];
    return value !== null && Math.min(value, 1 - value) <= MISSED ? [[name, value]] : [];
  });

const otherFamily = (target: string): NextStep => ({
  action: 'choose_family',
  column: target,
  text: `Run again with another family for ${quoted(target)}.`,
});

const raiseDraws = (target: string): NextStep => ({
  action: 'raise_draws',
  column: target,
  text: 'Run again with more tune and draws.',
});

/** Maximum mean error of probabilities: this factor of chance, plus this addend. */
const OFF = { times: 2, more: 0.02 } as const;

const isMiscalibrated = (label: JobRegression['label']): boolean => {
  const found = label?.calibration;
  return found ? found.error > OFF.times * found.error_by_chance + OFF.more : false;
};

function calibrationSentences(label: JobRegression['label']): string[] {
  if (!label?.calibration) return [];
  const { rows, error, error_by_chance, accuracy } = label.calibration;
  return [
    `Of ${counted(rows, 'held-out row')}, ${share(accuracy)} have the label that the model says is most probable; its probabilities are off by ${share(error)} on average (${share(error_by_chance)} by chance if all were right).`,
  ];
}
