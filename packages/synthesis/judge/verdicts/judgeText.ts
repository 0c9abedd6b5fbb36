import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { TextMetrics } from '../../../contract/metrics.ts';
import type { NextStep } from '../../../contract/verdicts.ts';
import { decimal, share } from '../../../words/format.ts';
import { listed, quoted } from '../../../words/wording.ts';
import {
  baseline,
  type Figures,
  type GradeBeside,
  gradeOf,
  type Judged,
  MORE_ROWS,
  onceEach,
  redrawTexts,
  said,
} from './judging.ts';

const MAX_TEXTS = 5;

type TextColumn = TextMetrics['columns'][number];

const figuresOfText = ({ bits_per_character, length, vocabulary, copies, agreement }: TextColumn): MeasuredFigure[] => [
  bits_per_character,
  length,
  vocabulary,
  copies,
  ...agreement.map(({ accuracy }) => accuracy),
];

export function text({ text: found }: Figures): Judged | null {
  if (!found || found.columns.length === 0) return null;
  const grade = gradeOf(found.columns.flatMap(figuresOfText));
  const failing = found.columns.filter((column) => figuresOfText(column).some(({ verdict }) => verdict === 'worse'));
  const names = listed(
    failing.map(({ column }) => quoted(column)),
    MAX_TEXTS,
  );
  const headlines: Record<GradeBeside, string> = {
    good: 'The synthetic texts resemble the real ones as closely as other real texts do.',
    mixed: `The synthetic texts resemble the real ones in most respects, but not all of ${names}.`,
    poor: `The synthetic texts differ from the real ones more than other real texts do: those of ${names}.`,
    unknown: 'There were too few real texts to judge.',
  };
  const sentences = [...failing, ...found.columns.filter((column) => !failing.includes(column))]
    .slice(0, MAX_TEXTS)
    .flatMap(textSentences);
  const next = grade === 'unknown' ? [MORE_ROWS] : failing.flatMap((column) => textSteps(column, found.from_base));
  return { area: 'text', grade, headline: headlines[grade], sentences, next: onceEach(next) };
}

const textSentences = ({ column, bits_per_character: bits, copies }: TextColumn): string[] => [
  ...said(
    bits,
    (value) =>
      `${quoted(column)}: average surprise per character ${decimal(value)} bits, ${decimal(bits.holdout)} with real texts. It says how well a model trained on the synthetic texts predicts real ones; lower is better.`,
  ),
  ...said(copies, (value) => `${share(value)} of the texts are exact copies of real ones${baseline(copies, share)}.`),
];

/** Remedies depend on the generator. */
function textSteps({ column, writer, copies, ...figures }: TextColumn, fromBase: boolean | null): NextStep[] {
  const copied = copies.verdict === 'worse' ? redrawTexts(column).slice(0, 1) : [];
  const others = [figures.bits_per_character, figures.length, figures.vocabulary];
  if (!others.some(({ verdict }) => verdict === 'worse') && copied.length > 0) return copied;
  if (writer === 'name_lists' || writer === 'cells_of_the_row') return copied;
  const little = `Use a table with more texts in ${quoted(column)}: these were too few for a language model.`;
  if (writer === 'markov_chain') return [...copied, { action: 'use_more_rows', column, text: little }];
  const epochs: NextStep = { action: 'raise_text_epochs', column: null, text: 'Use more text epochs.' };
  const install = 'Install a large base language model (synthetic-tables text-base) and run again: none was used.';
  return fromBase === false
    ? [...copied, { action: 'use_text_base', column: null, text: install }, epochs]
    : [...copied, epochs];
}
