/** What the metrics come to, in words: a grade for each question that a reader asks. */
import type { MeasuredFigure } from '../../domain/schema/measuredFigure.ts';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import type { Judgement } from '../../domain/schema/report.ts';
import { listed, quoted } from '../../domain/table/wording.ts';
import { decimal, MEASURES, share } from './wording.ts';

type Grade = Judgement['grade'];

/** AUC from which on a classifier tells synthetic rows from real ones at a glance. */
const TOLD_APART = 0.8;

export function judge(metrics: JobMetrics): Judgement[] {
  return [likeness(metrics), usefulness(metrics), privacy(metrics), text(metrics), model(metrics)].filter(
    (judgement) => judgement !== null,
  );
}

/** Good where none is worse than real rows, poor where half of them or more are. */
function gradeOf(figures: readonly MeasuredFigure[]): Grade {
  const judged = figures.filter(({ verdict }) => verdict !== null);
  const worse = judged.filter(({ verdict }) => verdict === 'worse').length;
  if (judged.length === 0) return 'unknown';
  if (worse === 0) return 'good';
  return 2 * worse >= judged.length ? 'poor' : 'mixed';
}

const beside = ({ holdout }: MeasuredFigure, write: (value: number) => string): string =>
  holdout === null ? '' : ` (real rows that no model saw: ${write(holdout)})`;

function likeness({ fidelity }: JobMetrics): Judgement | null {
  if (!fidelity) return null;
  const { one_way, two_way, ks, total_variation, missingness, discriminator, give_away, largest_gaps } = fidelity;
  const grade = gradeOf([one_way, two_way, fidelity.three_way, ks, total_variation, missingness, discriminator]);
  const isObvious = (discriminator.value ?? 0) >= TOLD_APART;
  const sentences: string[] = [];
  if (one_way.value !== null)
    sentences.push(`Single columns agree with the real ones to ${share(one_way.value)}${beside(one_way, share)}.`);
  if (two_way.value !== null)
    sentences.push(`Pairs of columns agree to ${share(two_way.value)}${beside(two_way, share)}.`);
  if (discriminator.value !== null) {
    const telling = give_away.filter(({ loss }) => loss > 0.005).map(({ column }) => quoted(column));
    const by = telling.length > 0 && discriminator.value > 0.55 ? `, most of all by ${listed(telling, 3)}` : '';
    sentences.push(
      `A classifier tells synthetic rows from real ones with an AUC of ${decimal(discriminator.value)}${beside(discriminator, decimal)}${by}; 0.5 is guessing.`,
    );
  }
  const [gap] = largest_gaps;
  if (gap) {
    const [a, b] = gap.columns.map(quoted);
    sentences.push(
      `The tie that differs most is that of ${a} and ${b}: ${decimal(gap.real)} in the real rows, ${decimal(gap.synthetic)} in the synthetic ones (${MEASURES[gap.measure]}).`,
    );
  }
  const headlines: Record<Grade, string> = {
    good: 'The rows are as like the real ones as other real rows are.',
    mixed: 'The rows are like the real ones in most respects, not in all.',
    poor: isObvious
      ? 'The rows can be told from real ones at a glance.'
      : 'The rows differ from real ones more than other real rows do.',
    unknown: 'There were too few real rows to judge the likeness by.',
  };
  return { area: 'likeness', grade, headline: headlines[grade], sentences };
}

function usefulness({ utility }: JobMetrics): Judgement | null {
  if (!utility) return null;
  const { target, categories, coefficients } = utility;
  const figures = [target, ...categories.map(({ auc }) => auc), coefficients].filter(({ value }) => value !== null);
  if (figures.length === 0) return null;
  const grade = gradeOf(figures);
  const sentences: string[] = [];
  if (target.value !== null)
    sentences.push(
      `A model of the target that learns from the synthetic rows has R² ${decimal(target.value)} on real rows; one that learns from as many real rows ${decimal(target.holdout)}.`,
    );
  for (const { column, auc } of categories.slice(0, 3)) {
    if (auc.value !== null)
      sentences.push(
        `${quoted(column)} is told from the other columns with an AUC of ${decimal(auc.value)}; from real rows ${decimal(auc.holdout)}.`,
      );
  }
  if (coefficients.value !== null)
    sentences.push(`The intervals of a regression’s coefficients overlap by ${share(coefficients.value)} on average.`);
  const headlines: Record<Grade, string> = {
    good: 'What is learnt from these rows holds for real ones as well as what is learnt from real rows.',
    mixed: 'Most of what is learnt from these rows holds for real ones; some of it less well.',
    poor: 'What is learnt from these rows holds for real ones less well than what is learnt from real rows.',
    unknown: 'There were too few real rows to judge the usefulness by.',
  };
  return { area: 'usefulness', grade, headline: headlines[grade], sentences };
}

function privacy({ privacy: found, release }: JobMetrics): Judgement | null {
  if (!found) return null;
  const { exact_copies, unique_copies, near_copies, dcr_share, dcr_share_worst, membership_inference } = found;
  const attributes = found.attribute_inference.map(({ advantage }) => advantage);
  const figures = [
    unique_copies,
    near_copies,
    dcr_share,
    dcr_share_worst,
    membership_inference,
    found.singling_out,
    found.text_memorisation,
    ...attributes,
  ];
  const worse = figures.filter(({ verdict }) => verdict === 'worse').length;
  const isJudged = figures.some(({ verdict }) => verdict !== null);
  const grade: Grade = !isJudged ? 'unknown' : worse === 0 ? 'good' : worse === 1 ? 'mixed' : 'poor';
  const sentences: string[] = [];
  if (exact_copies.value !== null)
    sentences.push(
      `${share(exact_copies.value)} of the rows equal a real row${beside(exact_copies, share)}; ${share(unique_copies.value ?? 0)} one that stands there once.`,
    );
  if (dcr_share.value !== null) {
    const interval =
      dcr_share.low === null || dcr_share.high === null
        ? ''
        : ` (95 % interval ${share(dcr_share.low)} to ${share(dcr_share.high)})`;
    sentences.push(
      `${share(dcr_share.value)}${interval} of the rows are nearer to a row that was learnt from than to one that was not; 50 % is no evidence of copying.`,
    );
  }
  if (membership_inference.value !== null)
    sentences.push(
      `Who was learnt from is guessed with an AUC of ${decimal(membership_inference.value)}; 0.5 is guessing.`,
    );
  if (found.text_memorisation.value !== null)
    sentences.push(
      `${share(found.text_memorisation.value)} of the texts hold a long run of a real text${beside(found.text_memorisation, share)}.`,
    );
  if (release)
    sentences.push(
      release.outcome === 'passed'
        ? 'The release policy that was asked for is kept.'
        : `The rows were withheld by the release policy. ${release.reasons.join(' ')}`,
    );
  const headlines: Record<Grade, string> = {
    good: 'No attack that was tried learns more of the real rows than of rows that no model saw.',
    mixed: 'One of the attacks that were tried learns more of the real rows than of rows that no model saw.',
    poor: 'Several attacks learn more of the real rows than of rows that no model saw: do not hand the table out unseen.',
    unknown: 'There were too few real rows to judge the privacy by.',
  };
  return { area: 'privacy', grade, headline: headlines[grade], sentences };
}

function text({ text: found }: JobMetrics): Judgement | null {
  if (!found || found.columns.length === 0) return null;
  const figures = found.columns.flatMap((column) => [
    column.bits_per_character,
    column.length,
    column.vocabulary,
    column.copies,
    ...column.agreement.map(({ accuracy }) => accuracy),
  ]);
  const grade = gradeOf(figures);
  const sentences = found.columns
    .slice(0, 5)
    .flatMap(({ column, bits_per_character: bits, copies }) => [
      ...(bits.value === null
        ? []
        : [
            `To a model of the synthetic texts of ${quoted(column)}, real ones cost ${decimal(bits.value)} bits a character; to one of real texts ${decimal(bits.holdout)}.`,
          ]),
      ...(copies.value === null
        ? []
        : [`${share(copies.value)} of them are real texts as they stand${beside(copies, share)}.`]),
    ]);
  const headlines: Record<Grade, string> = {
    good: 'The texts are as like real ones as other real texts are.',
    mixed: 'The texts are like real ones in most respects, not in all.',
    poor: 'The texts differ from real ones more than other real texts do.',
    unknown: 'There were too few real texts to judge by.',
  };
  return { area: 'text', grade, headline: headlines[grade], sentences };
}

function model({ regression }: JobMetrics): Judgement | null {
  if (!regression) return null;
  const { converged, summary, target, family, rows } = regression;
  return {
    area: 'model',
    grade: converged ? 'good' : 'poor',
    headline: converged ? 'The target’s model was fitted reliably.' : 'The target’s model was not fitted reliably.',
    sentences: [`${quoted(target)} was modelled as ${family.replaceAll('_', ' ')} from ${rows} rows.`, summary],
  };
}
