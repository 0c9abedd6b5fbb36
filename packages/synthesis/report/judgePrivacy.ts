/** Privacy: what attacks find out, and what the release policy says. */

import type { Grade } from '../../contract/grades.ts';
import type { MeasuredFigure } from '../../contract/measuredFigure.ts';
import type { JobMetrics } from '../../contract/metrics.ts';
import { MIN_REAL_ROWS, type ReleaseMetrics } from '../../contract/releasePolicy.ts';
import type { NextStep } from '../../contract/verdicts.ts';
import { decimal, share } from '../../words/format.ts';
import { counted, listed, quoted } from '../../words/wording.ts';
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

/** Privacy figures named in the headline. */
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

/** Beside halves of the rows that a table was made from, copies are seen, and nothing else is. */
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

/** A table whose attacks were cross-fitted already, or that was made elsewhere, can only have more rows held out. */
const toShowMore = (found: Privacy, on: Figures['measured_on']): NextStep[] =>
  on?.method === 'holdout' && heldOut(found) <= on.holdout ? [CROSS_FIT, MORE_HELD_OUT] : [MORE_HELD_OUT];

// Copies, which are looked up in all real rows.

function copiesFound({ exact_copies: { value, rows } }: Privacy): string {
  const copies = Math.round((value ?? 0) * rows);
  return copies === 0 ? 'No copies of real rows were found.' : `${counted(copies, 'row')} ${equal(copies)} a real row.`;
}

const equal = (rows: number): string => (rows === 1 ? 'equals' : 'equal');

const NAMED_ROWS = 5;

/** For the owner of the file: which rows they are. */
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
  next: readonly NextStep[];
}

/** Without held-out rows there is nothing that a row could be nearer to, and none is redrawn. */
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

/** `near`: what keeps rows from lying near training rows. */
export function privacyFigures(found: Privacy, near: readonly NextStep[]): PrivacyFigure[] {
  const figure = (
    name: string,
    { verdict }: Pick<MeasuredFigure, 'verdict'>,
    counts = true,
    next: readonly NextStep[] = near,
  ): PrivacyFigure => ({ name, verdict, counts, next });
  return [
    figure('exact copies', found.exact_copies, false, [REDRAW]),
    figure('copies of unique rows', found.unique_copies, true, [REDRAW]),
    figure('near copies', { verdict: worstOf([found.near_copies, found.strange_rows]) }),
    // A copy is one but for a cell, too.
    figure('copies but for one cell', found.copies_but_one, found.unique_copies.verdict !== 'worse', [REDRAW]),
    figure('ratio of distances to the nearest rows', found.neighbour_ratio, false),
    figure('membership inference', { verdict: worstOf(membershipOf(found)) }),
    figure('singling out', { verdict: worstOf([found.singling_out, found.singling_out_excess]) }),
    figure('linkability', found.linkability_excess),
    ...figureOfEntities(found, 'sequence_copies').map((one) => figure('sequences of real entities', one)),
    figure('memorised texts', found.text_memorisation, true, redrawTexts(found.worst_text_column)),
    ...found.attribute_inference.map(({ column, advantage }) =>
      figure(`attribute inference of ${quoted(column)}`, advantage, true, [
        { action: 'leave_out', column, text: `Leave ${quoted(column)} out if nobody may learn it.` },
      ]),
    ),
    ...worstLookUp(found).map(({ known, column, advantage }) =>
      figure(`attribute inference of ${quoted(column)} from ${listed(known.map(quoted))} alone`, advantage, true, [
        { action: 'leave_out', column, text: `Leave ${quoted(column)} out if nobody may learn it.` },
      ]),
    ),
  ];
}

/** All look-ups are one attack: the surest speaks for them. */
const worstLookUp = ({ look_ups }: Privacy): Privacy['look_ups'] => look_ups.slice(0, 1);

/** One attack, by several figures: worse where any of them is. */
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
  // That one attack succeeds and the others do not is a claim, too: as many held-out rows have to show it.
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

/** What is known of attacks that were not found to succeed: how much they may still do. */
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
