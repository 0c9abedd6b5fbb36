import type { TextMetrics } from '../../../contract/metrics.ts';
import { meanWithError } from '../../../numerics/moments.ts';
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable, OnProgress } from '../../models/model.ts';
import { textNamed } from '../columns.ts';
import { kolmogorovBound, kolmogorovSmirnov } from '../distances.ts';
import { around, type Interval, type Mean, VERDICT_LEVEL, wilson } from '../intervals.ts';
import { bandInterval, judgeDifference, judgeDistance, shareFigure, toMeasured } from '../measured.ts';
import { MADE, type Made, type Part, type Parts, sampleRows } from '../parts.ts';
import {
  bitsPerCharacter,
  type Cost,
  classesOf,
  costGap,
  costOf,
  coverageGap,
  coverageOf,
  type Example,
  examplesOf,
  guessRight,
  isText,
  shareKnown,
} from './textScores.ts';

const MAX_TEXT_COLUMNS = 8;

/** Typical difference of real samples, as a share of words, guesses or bits. */
const MARGIN = 0.02;

/** Real samples besides the training texts. */
const REDRAWN = 19;

const NO_TEXTS = 'there are no held-out texts, or none in the synthetic table';

type TextColumn = TextMetrics['columns'][number];

export async function measureText(
  { released, columns, target }: Parts,
  random: RandomStream,
  onProgress: OnProgress,
): Promise<TextMetrics | null> {
  if (columns.text.length === 0) return null;
  const chosen = columns.text.slice(0, MAX_TEXT_COLUMNS);
  const labels = [...(target === null ? [] : [target]), ...columns.categorical.slice(0, 1)];
  const found: TextColumn[] = [];
  for (const column of chosen) {
    const stream = random.child(column);
    const sides = textSides(released, column, stream.child('sides'));
    found.push({
      column,
      writer: null,
      bits_per_character: bitsFigure(sides),
      length: lengthFigure(sides, stream.child('lengths')),
      vocabulary: vocabularyFigure(sides),
      agreement: labels.map((label) => ({ with: label, accuracy: agreementFigure(released, column, label, stream) })),
      copies: copiesFigure(released, column),
    });
    await onProgress({
      stage: 'measure',
      fact: 'texts_compared',
      texts: sides.synthetic.length,
      held_out: sides.holdout.length,
    });
  }
  return { from_base: null, columns: found, columns_left_out: columns.text.length - chosen.length };
}

function bitsFigure(sides: TextSides) {
  const cost = (texts: readonly string[]): Cost | undefined => costOf(texts, sides.holdout);
  const value = (of: Cost | undefined) => of && bitsPerCharacter(of).mean;
  const [own, real] = [cost(sides.synthetic), cost(sides.train)];
  // Fewer bits are better.
  const gap = own && real && negative(costGap(own, real));
  return toMeasured({
    value: value(own),
    interval: own && around(bitsPerCharacter(own)),
    rows: own?.bits.length ?? 0,
    reason: NO_TEXTS,
    holdout: value(real),
    independent: value(cost(sides.independent)),
    swapped: value(cost(sides.swapped)),
    verdict: gap ? judgeDifference(gap.mean, around(gap), MARGIN * (value(real) ?? 0)) : null,
  });
}

const negative = ({ mean, error }: Mean): Mean => ({ mean: -mean, error });

/** An honest table is nearer to training texts than real ones are, so compares with held-out texts if possible. */
function lengthFigure(sides: TextSides, random: RandomStream) {
  const lengths = (texts: readonly string[]) => Float64Array.from(texts, (text) => text.length);
  const [train, held] = [lengths(sides.train), lengths(sides.holdout)];
  const reference = held.length > 0 ? held : train;
  const compared = Math.min(sides.synthetic.length, train.length);
  const some = (texts: readonly string[], name: string): Float64Array => {
    const all = lengths(texts);
    return Float64Array.from(sampleRows(all.length, compared, random.child(name)), (at) => all[at]!);
  };
  const ks = (other: Float64Array): number | undefined =>
    reference.length > 0 && other.length > 0 ? kolmogorovSmirnov(reference, other) : undefined;
  const pool = Float64Array.from([...train, ...held]);
  const redrawn = Array.from({ length: held.length > 0 ? REDRAWN : 0 }, (_, at) => {
    const drawn = shuffledRows(pool.length, random.child(`redrawn ${at}`));
    const taken = (rows: Int32Array) => Float64Array.from(rows, (row) => pool[row]!);
    const [own, others] = [taken(drawn.subarray(0, compared)), taken(drawn.subarray(-held.length))];
    return own.length > 0 ? kolmogorovSmirnov(others, own) : Number.NaN;
  });
  const real = held.length > 0 ? ks(some(sides.train, 'train')) : undefined;
  const value = ks(some(sides.synthetic, 'synthetic'));
  const distances = real === undefined ? [] : [real, ...redrawn];
  const chance = kolmogorovBound(compared, reference.length, VERDICT_LEVEL);
  const band = { distances, compared, reference: reference.length, chance };
  return toMeasured({
    value,
    interval: bandInterval(value, band),
    rows: compared,
    reason: 'a table has no texts',
    ideal: 0,
    holdout: real,
    independent: ks(some(sides.independent, 'independent')),
    swapped: ks(some(sides.swapped, 'swapped')),
    verdict: judgeDistance(value, band),
  });
}

function vocabularyFigure(sides: TextSides) {
  const cover = (texts: readonly string[]) => coverageOf(texts, sides.holdout);
  const [own, real] = [cover(sides.synthetic), cover(sides.train)];
  const value = (texts: readonly string[]) => notNaN(shareKnown(cover(texts)).mean);
  const gap = coverageGap(own, real);
  return toMeasured({
    value: sides.synthetic.length > 0 ? notNaN(shareKnown(own).mean) : undefined,
    interval: around(shareKnown(own)),
    rows: own.words.length,
    reason: 'there are no held-out texts with words, or none in the synthetic table',
    ideal: 1,
    holdout: notNaN(shareKnown(real).mean),
    independent: value(sides.independent),
    swapped: value(sides.swapped),
    verdict: judgeDifference(gap.mean, around(gap), MARGIN),
  });
}

const notNaN = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

function agreementFigure(part: Part, text: string, label: string, random: RandomStream) {
  const classes = classesOf(part.train, label);
  const examples = (table: ModelTable, most: number, name: string): Example[] => {
    const rows = sampleRows(table.rows, 4 * most, random.child(`${label} ${name}`));
    return examplesOf(table, text, classes.of(table), rows, most);
  };
  const queried = part.holdout ? examples(part.holdout, MAX_TEXTS, 'holdout') : [];
  const training = examples(part.synthetic, MAX_TEXTS, 'synthetic');
  const right = (of: readonly Example[]) => guessRight(of, queried, classes.count);
  const others = (name: 'train' | 'independent' | 'swapped') => right(examples(part[name], training.length, name));
  const [own, real] = [right(training), others('train')];
  const share = (of: Uint8Array | undefined) => of && meanWithError(of).mean;
  const gap = own && real ? meanWithError(Int8Array.from(own, (hit, at) => hit - real[at]!)) : undefined;
  const hits = own?.reduce((sum, hit) => sum + hit, 0) ?? 0;
  const interval: Interval | undefined = own && wilson(hits, own.length);
  return toMeasured({
    value: share(own),
    interval,
    rows: own?.length ?? 0,
    reason: `no held-out row has both, or ${JSON.stringify(label)} does not vary in the synthetic rows with texts`,
    ideal: 1,
    holdout: share(real),
    independent: share(others('independent')),
    swapped: share(others('swapped')),
    verdict: gap ? judgeDifference(gap.mean, around(gap), MARGIN) : null,
  });
}

function copiesFigure(part: Part, text: string) {
  const known = new Set(textNamed(part.train, text).filter(isText));
  const count = (table: ModelTable) => {
    const texts = textNamed(table, text).filter(isText);
    return { hits: texts.filter((cell) => known.has(cell)).length, of: texts.length };
  };
  const [synthetic, independent, swapped] = MADE.map((made) => count(part[made]));
  return shareFigure({
    synthetic: synthetic!,
    holdout: part.holdout && count(part.holdout),
    independent: independent!,
    swapped: swapped!,
    reason: 'the synthetic table has no text',
  });
}

/** Maximum texts and characters per table. */
const MAX_TEXTS = 2_000;
const MAX_CHARACTERS = 300_000;

interface TextSides extends Record<Made, string[]> {
  train: string[];
  /** Empty without held-out rows. */
  holdout: string[];
}

/** Limits sides but the held-out one to the number of synthetic texts. */
function textSides(part: Part, name: string, random: RandomStream): TextSides {
  const synthetic = someTexts(textNamed(part.synthetic, name), MAX_TEXTS, random.child('synthetic'));
  const some = (cells: readonly (string | null)[], side: string): string[] =>
    someTexts(cells, Math.max(1, synthetic.length), random.child(side));
  return {
    synthetic,
    independent: some(textNamed(part.independent, name), 'independent'),
    swapped: some(textNamed(part.swapped, name), 'swapped'),
    train: some(textNamed(part.train, name), 'train'),
    holdout: part.holdout ? someTexts(textNamed(part.holdout, name), MAX_TEXTS, random.child('holdout')) : [],
  };
}

function someTexts(cells: readonly (string | null)[], most: number, random: RandomStream): string[] {
  const texts = cells.filter(isText);
  const drawn = Array.from(sampleRows(texts.length, most, random), (at) => texts[at]!);
  let left = MAX_CHARACTERS;
  return drawn.filter((text) => {
    left -= text.length;
    return left >= 0;
  });
}
