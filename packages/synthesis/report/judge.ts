/** What the metrics come to, in words: a grade for each question that a reader asks. */
import type {
  ColumnFidelity,
  FidelityMetrics,
  JobMetrics,
  JobRegression,
  MeasuredFigure,
} from '../../contract/metrics.ts';
import { MIN_REAL_ROWS, type ReleaseMetrics } from '../../contract/releasePolicy.ts';
import type { Grade, Judgement, NextStep } from '../../contract/verdicts.ts';
import { decimal, familyName, share } from '../../words/format.ts';
import { MEASURES, REPLICATED } from '../../words/report.ts';
import { counted, listed, quoted } from '../../words/wording.ts';

/** AUC from which on a classifier easily separates synthetic rows from real ones. */
const TOLD_APART = 0.8;
/** AUC and loss of AUC from which on the columns that a classifier goes by are named. */
const NAMES_COLUMNS = { auc: 0.55, loss: 0.005 };
const MAX_CATEGORIES = 3;
const MAX_TEXTS = 5;
/** Privacy figures named in the headline. */
const MAX_FIGURES = 5;

type Figures = Omit<JobMetrics, 'verdicts'>;
type Judged = Omit<Judgement, 'inherited'>;

/**
 * What the figures come to, area by area. `before`: the verdicts on the table that the model first made, for rows that it made
 * later: they stand in where those rows cannot be judged themselves.
 */
export function judge(metrics: Figures, before: readonly Judgement[] = []): Judgement[] {
  const own = [likeness(metrics), usefulness(metrics), privacy(metrics), text(metrics), model(metrics)].filter(
    (judgement) => judgement !== null,
  );
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

const MORE_ROWS: NextStep = {
  action: 'use_more_rows',
  column: null,
  text: 'Use a table with more rows: some have to be held out to compare with.',
};

/** Good where none is worse than real rows, poor where half of them or more are. */
function gradeOf(figures: readonly MeasuredFigure[]): Grade {
  const judged = figures.filter(({ verdict }) => verdict !== null);
  const worse = judged.filter(({ verdict }) => verdict === 'worse').length;
  if (judged.length === 0) return 'unknown';
  if (worse === 0) return 'good';
  return 2 * worse >= judged.length ? 'poor' : 'mixed';
}

const baseline = ({ holdout }: MeasuredFigure, write: (value: number) => string): string =>
  holdout === null ? '' : ` (held-out real rows: ${write(holdout)})`;

/** The sentence about a figure; none where there is no figure. */
const said = ({ value }: MeasuredFigure, sentence: (value: number) => string): string[] =>
  value === null ? [] : [sentence(value)];

function likeness({ fidelity }: Figures): Judged | null {
  if (!fidelity) return null;
  const { one_way, two_way, ks, total_variation, missingness, discriminator } = fidelity;
  const grade = gradeOf([one_way, two_way, fidelity.three_way, ks, total_variation, missingness, discriminator]);
  const headlines: Record<Grade, string> = {
    good: 'The synthetic rows resemble the real ones as closely as other real rows do.',
    mixed: 'The synthetic rows resemble the real ones in most respects, but not in all.',
    poor:
      (discriminator.value ?? 0) >= TOLD_APART
        ? 'The synthetic rows are easy to tell from real ones.'
        : 'The synthetic rows differ from the real ones more than other real rows do.',
    unknown: 'There were too few real rows to judge fidelity.',
  };
  const sentences = [...furthest(fidelity), ...likenessSentences(fidelity)];
  return { area: 'likeness', grade, headline: headlines[grade], sentences, next: likenessNext(fidelity, grade) };
}

/** The column whose distance is largest, of each kind whose mean distance is worse than that of held-out rows. */
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
    ...(missingness.verdict === 'worse' && gappy
      ? [[gappy.name, `missing cells ${share(gap(gappy))} apart`] satisfies [string, string]]
      : []),
  ];
}

const furthest = (fidelity: FidelityMetrics): string[] =>
  furthestColumns(fidelity).map(([name, why]) => `Furthest from the real rows: ${quoted(name)} (${why}).`);

function likenessNext(fidelity: FidelityMetrics, grade: Grade): NextStep[] {
  if (grade === 'good') return [];
  if (grade === 'unknown') return [MORE_ROWS];
  const [telling] = fidelity.feature_importance;
  const named = furthestColumns(fidelity)[0]?.[0] ?? (telling && telling.loss > 0 ? telling.column : undefined);
  if (named === undefined) return [];
  const isCategory = fidelity.columns.some(({ name, kind }) => name === named && kind === 'category');
  const text = `Look at ${quoted(named)} first: if its role is wrong (codes as numbers, numbers as categories), change it and run again.`;
  const rare = `If the rare categories of ${quoted(named)} matter, keep them (keep_rare) and run again.`;
  return [
    { action: 'check_role', column: named, text },
    ...(isCategory ? [{ action: 'keep_rare' as const, column: named, text: rare }] : []),
  ];
}

function likenessSentences(fidelity: NonNullable<JobMetrics['fidelity']>): string[] {
  const { one_way, two_way, discriminator, feature_importance, largest_gaps } = fidelity;
  const named = feature_importance.filter(({ loss }) => loss > NAMES_COLUMNS.loss).map(({ column }) => quoted(column));
  const mainly = (auc: number) =>
    named.length > 0 && auc > NAMES_COLUMNS.auc ? `, mainly by ${listed(named, MAX_CATEGORIES)}` : '';
  return [
    ...said(
      one_way,
      (value) => `Single columns: ${share(value)} agreement with the real ones${baseline(one_way, share)}.`,
    ),
    ...said(two_way, (value) => `Pairs of columns: ${share(value)} agreement${baseline(two_way, share)}.`),
    ...said(
      discriminator,
      (auc) =>
        `A classifier separates synthetic from real rows with AUC ${decimal(auc)}${baseline(discriminator, decimal)}${mainly(auc)}; 0.5 = chance.`,
    ),
    ...largest_gaps.slice(0, 1).map(({ columns, real, synthetic, measure }) => {
      const [a, b] = columns.map(quoted);
      return `Largest difference in correlation: ${a} and ${b}, ${decimal(real)} in the real rows and ${decimal(synthetic)} in the synthetic ones (${MEASURES[measure]}).`;
    }),
  ];
}

function usefulness({ utility }: Figures): Judged | null {
  if (!utility) return null;
  const { target, categories, coefficients } = utility;
  const figures = [target, ...categories.map(({ auc }) => auc), coefficients].filter(({ value }) => value !== null);
  if (figures.length === 0) return null;
  const grade = gradeOf(figures);
  const headlines: Record<Grade, string> = {
    good: 'Models trained on the synthetic rows work as well on real rows as models trained on real rows.',
    mixed: 'Most models trained on the synthetic rows work as well on real rows as models trained on real rows.',
    poor: 'Models trained on the synthetic rows work less well on real rows than models trained on real rows.',
    unknown: 'There were too few real rows to judge utility.',
  };
  const sentences = [
    ...said(
      target,
      (value) =>
        `Target predicted for real rows: R² ${decimal(value)} when trained on the synthetic rows, ${decimal(target.holdout)} on as many real rows.`,
    ),
    ...categories
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
  const next = grade === 'unknown' ? [MORE_ROWS] : [];
  return { area: 'usefulness', grade, headline: headlines[grade], sentences, next };
}

type Privacy = NonNullable<JobMetrics['privacy']>;

function privacy({ privacy: found, release }: Figures): Judged | null {
  if (release?.found.real_rows !== undefined) return privacyOfFewRows(release);
  if (!found) return null;
  const figures = privacyFigures(found);
  const worse = figures.filter(({ verdict }) => verdict === 'worse');
  const grade = privacyGrade(figures, worse);
  const named = listed(
    worse.map(({ name }) => name),
    MAX_FIGURES,
  );
  const headlines: Record<Grade, string> = {
    good: 'No attack learned more about training rows than about held-out rows.',
    mixed: `Worse than for held-out real rows: ${named}.`,
    poor: `Worse than for held-out real rows: ${named}. Do not share this table without review.`,
    unknown: 'There were too few real rows to judge privacy.',
  };
  const sentences = [...privacySentences(found), ...releaseSentences(release)];
  const next = grade === 'unknown' ? [MORE_ROWS] : worse.flatMap((figure) => figure.next);
  return { area: 'privacy', grade, headline: headlines[grade], sentences, next: onceEach(next) };
}

const onceEach = (steps: readonly NextStep[]): NextStep[] => [
  ...new Map(steps.map((step) => [step.text, step])).values(),
];

/** Whatever the figures say: so few rows are no ground to judge by. */
const privacyOfFewRows = (release: ReleaseMetrics): Judged => ({
  area: 'privacy',
  grade: 'poor',
  headline: `The real table has fewer than ${MIN_REAL_ROWS} rows. Do not share this table without review.`,
  sentences: releaseSentences(release),
  next: [{ action: 'use_more_rows', column: null, text: `Use a table of at least ${MIN_REAL_ROWS} rows.` }],
});

interface PrivacyFigure {
  name: string;
  verdict: MeasuredFigure['verdict'];
  /** False for a figure that is worse wherever a graver one is: it does not count a second time. */
  counts: boolean;
  /** What would mend it. */
  next: NextStep[];
}

const REDRAW: NextStep = {
  action: 'set_policy',
  column: null,
  text: 'Run again with a release policy, which redraws rows that equal a real one or are too near to it.',
};

const redrawTexts = (column: string | null): NextStep[] => [
  {
    action: 'set_policy',
    column,
    text: 'Run again with a release policy on verbatim texts, which redraws the rows that have them.',
  },
  ...(column === null
    ? []
    : [{ action: 'leave_out' as const, column, text: `Leave ${quoted(column)} out if its texts are not needed.` }]),
];

function privacyFigures(found: Privacy): PrivacyFigure[] {
  const figure = (
    name: string,
    { verdict }: MeasuredFigure,
    counts = true,
    next: NextStep[] = [REDRAW],
  ): PrivacyFigure => ({ name, verdict, counts, next });
  return [
    figure('exact copies', found.exact_copies, false),
    figure('copies of unique rows', found.unique_copies),
    figure('near copies', found.near_copies),
    figure('closeness to training rows', found.dcr_share),
    figure('closeness to training rows in some columns', found.dcr_share_worst),
    figure('ratio of distances to the nearest rows', found.neighbour_ratio, false),
    figure('membership inference', found.membership_inference),
    figure('singling out', found.singling_out),
    figure('memorised texts', found.text_memorisation, true, redrawTexts(found.worst_text_column)),
    ...found.attribute_inference.map(({ column, advantage }) =>
      figure(`attribute inference of ${quoted(column)}`, advantage, true, [
        { action: 'leave_out', column, text: `Leave ${quoted(column)} out if nobody may learn it.` },
      ]),
    ),
  ];
}

function privacyGrade(figures: readonly PrivacyFigure[], worse: readonly PrivacyFigure[]): Grade {
  if (figures.every(({ verdict, counts }) => verdict === null || !counts)) return 'unknown';
  if (worse.length === 0) return 'good';
  return worse.filter(({ counts }) => counts).length < 2 ? 'mixed' : 'poor';
}

function privacySentences(found: Privacy): string[] {
  const { exact_copies, unique_copies, dcr_share, membership_inference, text_memorisation } = found;
  const interval =
    dcr_share.low === null || dcr_share.high === null
      ? ''
      : ` (95 % interval ${share(dcr_share.low)} to ${share(dcr_share.high)})`;
  return [
    ...said(
      exact_copies,
      (value) =>
        `${share(value)} of the rows equal a real row${baseline(exact_copies, share)}; ${share(unique_copies.value ?? 0)} match a unique real row.`,
    ),
    ...said(
      dcr_share,
      (value) =>
        `${share(value)}${interval} of the rows are closer to a training row than to a held-out row; 50 % = no evidence of copying.`,
    ),
    ...said(membership_inference, (value) => `Membership inference AUC ${decimal(value)} (0.5 = chance).`),
    ...said(
      text_memorisation,
      (value) => `${share(value)} of the texts contain a long run of a real text${baseline(text_memorisation, share)}.`,
    ),
  ];
}

function releaseSentences(release: JobMetrics['release']): string[] {
  if (!release) return [];
  if (release.outcome === 'passed') return ['The table meets its release policy.'];
  return [`The rows are withheld by the release policy. ${release.reasons.join(' ')}`];
}

const BETTER_TEXTS: NextStep[] = [
  { action: 'raise_text_epochs', column: null, text: 'Use more text epochs.' },
  {
    action: 'use_text_base',
    column: null,
    text: 'Use a base language model where none was used (synthetic-tables text-base).',
  },
];

function text({ text: found }: Figures): Judged | null {
  if (!found || found.columns.length === 0) return null;
  const figures = found.columns.flatMap((column) => [
    column.bits_per_character,
    column.length,
    column.vocabulary,
    column.copies,
    ...column.agreement.map(({ accuracy }) => accuracy),
  ]);
  const grade = gradeOf(figures);
  const headlines: Record<Grade, string> = {
    good: 'The synthetic texts resemble the real ones as closely as other real texts do.',
    mixed: 'The synthetic texts resemble the real ones in most respects, but not in all.',
    poor: 'The synthetic texts differ from the real ones more than other real texts do.',
    unknown: 'There were too few real texts to judge.',
  };
  const sentences = found.columns
    .slice(0, MAX_TEXTS)
    .flatMap(({ column, bits_per_character: bits, copies }) => [
      ...said(
        bits,
        (value) =>
          `${quoted(column)}: average surprise per character ${decimal(value)} bits, ${decimal(bits.holdout)} with real texts. It says how well a model trained on the synthetic texts predicts real ones; lower is better.`,
      ),
      ...said(
        copies,
        (value) => `${share(value)} of the texts are exact copies of real ones${baseline(copies, share)}.`,
      ),
    ]);
  const next = { good: [], unknown: [MORE_ROWS], mixed: BETTER_TEXTS, poor: BETTER_TEXTS };
  return { area: 'text', grade, headline: headlines[grade], sentences, next: next[grade] };
}

function model({ regression }: Figures): Judged | null {
  if (!regression) return null;
  const { converged, summary, target, family, rows } = regression;
  const missed = missedFigures(regression);
  const names = listed(missed.map(([name]) => `the ${REPLICATED[name]}`));
  const grade = !converged ? 'poor' : missed.length > 0 ? 'mixed' : 'good';
  const headlines = {
    good: 'The fit of the target model is reliable.',
    mixed: `The fit converged, but the target model misses ${names} of ${quoted(target)}.`,
    poor: 'The fit of the target model is not reliable.',
  };
  const sentences = [
    `${quoted(target)} was modelled as ${familyName(family)}, fitted to ${counted(rows, 'row')}.`,
    summary,
    ...missed.map(
      ([name, value]) =>
        `Of tables replicated from the model, ${share(value)} have at least the ${REPLICATED[name]} of the real rows. The synthetic column has the distribution of the real one all the same: it is coefficients and their intervals that suffer.`,
    ),
  ];
  const next = { good: [], mixed: [otherFamily(target)], poor: betterFit(target) };
  return { area: 'model', grade, headline: headlines[grade], sentences, next: next[grade] };
}

/** Share of replicated tables up to which, or from one minus which on, the model misses a figure; of 200, two. */
const MISSED = 0.01 + 1e-9;

/** Extremes are not counted: a family without bounds misses them wherever a column has some. */
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

const betterFit = (target: string): NextStep[] => [
  { action: 'raise_draws', column: target, text: 'Run again with more tune and draws.' },
  otherFamily(target),
];
