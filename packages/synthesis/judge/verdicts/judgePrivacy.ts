import type { Grade } from '../../../contract/grades.ts';
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { JobMetrics } from '../../../contract/metrics.ts';
import { MIN_REAL_ROWS, type ReleaseMetrics } from '../../../contract/releasePolicy.ts';
import type { NextStep } from '../../../contract/verdicts.ts';
import { decimal, share } from '../../../words/format.ts';
import { counted, listed, quoted } from '../../../words/wording.ts';
import {
  baseline,
  type Figures,
  figureOfEntities,
  type Judged,
  MORE_ROWS,
  onceEach,
  redrawTexts,
  said,
} from './judging.ts';
import { type Bound, boundsOf, excluded, heldOut, isOpen, notExcluded } from './privacyBounds.ts';

const MAX_FIGURES = 5;

type Privacy = NonNullable<JobMetrics['privacy']>;

export function privacy({ privacy: found, release, measured_on: on }: Figures): Judged | null {
  if (release?.found.real_rows !== undefined) return privacyOfFewRows(release);
  if (!found) return null;
  const figures = privacyFigures(found, [on?.method === 'cross-fitting' ? LARGER : REDRAW]);
  const worse = figures.filter(({ verdict }) => verdict === 'worse');
  const isSplit = on?.method === 'halves';
  const bounds = boundsOf(found);
  const grade = isSplit ? gradeOfCopies(worse) : privacyGrade(figures, worse, bounds);
  const named = listed(
    worse.map(({ name }) => name),
    MAX_FIGURES,
  );
  const headlines: Record<Grade, string> = {
    good: `No attack learned more about training rows than about held-out rows. ${excluded(found, bounds)}`,
    not_shown: `No attack succeeded, but too few rows were held out to show that none does. ${notExcluded(found, bounds)}`,
    mixed: `Worse than for held-out real rows: ${named}.`,
    poor: `Worse than for held-out real rows: ${named}. Do not share this table without review.`,
    unknown: isSplit
      ? `${copiesFound(found)} Privacy was not tested: this needs real rows that were not used for training (the holdout).`
      : 'There were too few real rows to judge privacy.',
  };
  const sentences = [...copiedSentences(found), ...privacySentences(found), ...releaseSentences(release)];
  const unknown = isSplit ? HELD_OUT : MORE_ROWS;
  const next =
    grade === 'unknown'
      ? [unknown]
      : grade === 'not_shown'
        ? toShowMore(found, on)
        : worse.flatMap((figure) => figure.next);
  return { area: 'privacy', grade, headline: headlines[grade], sentences, next: onceEach(next) };
}

/** Halves of training rows only reveal copies. */
const gradeOfCopies = (worse: readonly PrivacyFigure[]): Grade => (worse.length > 0 ? 'poor' : 'unknown');

const HELD_OUT: NextStep = {
  action: 'hold_out_rows',
  column: null,
  text: 'Compare again with real rows that were not used for training (the holdout).',
};

const CROSS_FIT: NextStep = {
  action: 'cross_fit',
  column: null,
  text: 'Run again with cross_fit, so that all rows show what attacks can do. The table stays the same.',
};

const MORE_HELD_OUT: NextStep = {
  action: 'hold_out_rows',
  column: null,
  text: 'Hold out more rows: what attacks can be shown not to do grows with them.',
};

/** Cross-fitted and foreign tables can only hold out more rows. */
const toShowMore = (found: Privacy, on: Figures['measured_on']): NextStep[] =>
  on?.method === 'holdout' && heldOut(found) <= on.holdout ? [CROSS_FIT, MORE_HELD_OUT] : [MORE_HELD_OUT];

function copiesFound({ exact_copies: { value, rows } }: Privacy): string {
  const copies = Math.round((value ?? 0) * rows);
  return copies === 0 ? 'No copies of real rows were found.' : `${counted(copies, 'row')} ${equal(copies)} a real row.`;
}

const equal = (rows: number): string => (rows === 1 ? 'equals' : 'equal');

const NAMED_ROWS = 5;

/** For the file's owner. */
function copiedSentences({ copied_rows: rows, sure_copies: sure }: Privacy): string[] {
  if (rows.length === 0) return [];
  const named = rows.slice(0, NAMED_ROWS).map(({ row, real_rows }) => `${row} (real row ${real_rows.join(', ')})`);
  const beyond =
    sure === 0
      ? []
      : [
          `${counted(sure, 'row')} ${equal(sure)} a unique real row in columns in which chance agreement is negligible.`,
        ];
  return [...beyond, `Rows that equal real ones, the least likely by chance first: ${listed(named, NAMED_ROWS)}.`];
}

/** Too few rows override all metrics. */
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
  /** False if a graver metric implies this one. */
  counts: boolean;
  next: readonly NextStep[];
}

/** Without held-out rows, nothing is redrawn. */
const LARGER: NextStep = {
  action: 'use_more_rows',
  column: null,
  text: 'Use a table with more rows: of so few, models learn single ones, and none can be held out to redraw what is too near.',
};

const REDRAW: NextStep = {
  action: 'set_policy',
  column: null,
  text: 'Run again with a release policy, which redraws rows that equal a real one or are too near to it.',
};

/** `near` lists steps against near rows. */
export function privacyFigures(found: Privacy, near: readonly NextStep[]): PrivacyFigure[] {
  const figure = (
    name: string,
    { verdict }: Pick<MeasuredFigure, 'verdict'>,
    { counts = true, next = near }: Partial<Pick<PrivacyFigure, 'counts' | 'next'>> = {},
  ): PrivacyFigure => ({ name, verdict, counts, next });
  return [
    figure('exact copies', found.exact_copies, { counts: false, next: [REDRAW] }),
    figure('copies of unique rows', found.unique_copies, { next: [REDRAW] }),
    figure('near copies', { verdict: worstOf([found.near_copies, found.strange_rows]) }),
    // Copies are also copies but for one cell.
    figure('copies but for one cell', found.copies_but_one, {
      counts: found.unique_copies.verdict !== 'worse',
      next: [REDRAW],
    }),
    figure('ratio of distances to the nearest rows', found.neighbour_ratio, { counts: false }),
    figure('membership inference', { verdict: worstOf(membershipOf(found)) }),
    figure('singling out', { verdict: worstOf([found.singling_out, found.singling_out_excess]) }),
    figure('linkability', found.linkability_excess),
    ...figureOfEntities(found, 'sequence_copies').map((one) => figure('sequences of real entities', one)),
    figure('memorised texts', found.text_memorisation, { next: redrawTexts(found.worst_text_column) }),
    ...found.attribute_inference.map(({ column, advantage }) =>
      figure(`attribute inference of ${quoted(column)}`, advantage, {
        next: [{ action: 'leave_out', column, text: `Leave ${quoted(column)} out if nobody may learn it.` }],
      }),
    ),
    ...worstLookUp(found).map(({ known, column, advantage }) =>
      figure(`attribute inference of ${quoted(column)} from ${listed(known.map(quoted))} alone`, advantage, {
        next: [{ action: 'leave_out', column, text: `Leave ${quoted(column)} out if nobody may learn it.` }],
      }),
    ),
  ];
}

/** Look-ups are one attack. */
const worstLookUp = ({ look_ups }: Privacy): Privacy['look_ups'] => look_ups.slice(0, 1);

/** Worse if any figure of the attack is. */
const worstOf = (figures: readonly MeasuredFigure[]): MeasuredFigure['verdict'] => {
  const verdicts = figures.flatMap(({ verdict }) => verdict ?? []);
  return verdicts.find((verdict) => verdict === 'worse') ?? verdicts[0] ?? null;
};

const membershipOf = ({ membership_inference, membership }: Privacy): MeasuredFigure[] => [
  membership_inference,
  ...membership.flatMap(({ auc, true_positives_1, true_positives_10, highest }) => [
    auc,
    true_positives_1,
    true_positives_10,
    highest,
  ]),
];

function privacyGrade(
  figures: readonly PrivacyFigure[],
  worse: readonly PrivacyFigure[],
  bounds: readonly Bound[],
): Grade {
  if (figures.every(({ verdict, counts }) => verdict === null || !counts)) return 'unknown';
  if (worse.length === 0) return bounds.some(isOpen) ? 'not_shown' : 'good';
  // Claiming that only one attack succeeds also needs enough held-out rows.
  const isRestShown = bounds.every((bound) => !isOpen(bound) || worse.some(({ name }) => name === bound.attack));
  return isRestShown && worse.filter(({ counts }) => counts).length < 2 ? 'mixed' : 'poor';
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
    ...excessSentence(found),
    ...said(
      text_memorisation,
      (value) => `${share(value)} of the texts contain a long run of a real text${baseline(text_memorisation, share)}.`,
    ),
  ];
}

function excessSentence({ singling_out_excess, linkability_excess, attribute_excess }: Privacy): string[] {
  const bounds = [
    ['singling out', singling_out_excess.upper],
    ['linkability', linkability_excess.upper],
    ['attribute inference', attribute_excess.upper],
  ].flatMap(([name, upper]) => (typeof upper === 'number' ? [`${name} ${share(upper)}`] : []));
  return bounds.length > 0
    ? [`Attacks succeed more often on training rows than on held-out rows by at most (95 %): ${listed(bounds)}.`]
    : [];
}

function releaseSentences(release: JobMetrics['release']): string[] {
  if (!release) return [];
  if (release.outcome === 'passed') return ['The table meets its release policy.'];
  return [`The rows are withheld by the release policy. ${release.reasons.join(' ')}`];
}
