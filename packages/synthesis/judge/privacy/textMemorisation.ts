/**
 * Text memorisation (after Carlini et al., 2021): share of texts with a run of 40 characters from a training text, or
 * shorter texts that equal one, compared with held-out texts.
 */

import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { contains } from '../../../numerics/search.ts';
import { hashText, type Owners, ownedTexts, protectedTexts } from '../../disclosure/guardTexts.ts';
import { textNamed } from '../columns.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { type Count, notMeasured, shareFigure } from '../measured.ts';
import { MADE, type Made, type Part, sampleRows } from '../parts.ts';

/** UTF-16 units. */
export const RUN = 40;

/** Maximum training characters and queried texts. */
const CHARACTERS = 2_000_000;
const TEXTS = 2_000;

/** Two hashes modulo a prime below 2^26 keep products exact. */
const PRIME = 67_108_859;
const BASES = [257, 8_191] as const;

/** Reports the text column that repeats most. */
export const textMemorisation: Measure<Pick<PrivacyMetrics, 'text_memorisation' | 'worst_text_column'>, AttackTask> = (
  task,
) => {
  const { columns, released: part } = task.measured;
  const random = task.random.child('texts');
  const found = columns.text.map((name) => ({ name, figure: ofColumn(part, name, random.child(name), task.owners) }));
  const excess = ({ figure }: (typeof found)[number]): number => (figure.value ?? -1) - (figure.holdout ?? 0);
  const worst = found.toSorted((a, b) => excess(b) - excess(a))[0];
  if (!worst) return { text_memorisation: notMeasured('there is no text column'), worst_text_column: null };
  return { text_memorisation: worst.figure, worst_text_column: worst.name };
};

function ofColumn(part: Part, name: string, random: RandomStream, whose?: Owners) {
  const { texts, owners } = ownedTexts(textNamed(part.train, name), whose);
  const known = { runs: rememberRuns(texts, random.child('train')), whole: protectedTexts(texts, owners) };
  const count = (cells: readonly (string | null)[], stream: RandomStream): Count => {
    const queried = some(presentTexts(cells), TEXTS, stream);
    return { hits: queried.filter((text) => isRemembered(text, known)).length, of: queried.length };
  };
  const of = (made: Made): Count => count(textNamed(part[made], name), random.child(made));
  const [synthetic, independent, swapped] = MADE.map(of);
  return shareFigure({
    synthetic: synthetic!,
    holdout: part.holdout && count(textNamed(part.holdout, name), random.child('holdout')),
    independent: independent!,
    swapped: swapped!,
    reason: `column ${JSON.stringify(name)} has no text in the synthetic table`,
  });
}

const presentTexts = (cells: readonly (string | null)[]): string[] =>
  cells.filter((cell): cell is string => cell !== null && cell !== '');

const some = (texts: readonly string[], most: number, random: RandomStream): string[] =>
  Array.from(sampleRows(texts.length, most, random), (at) => texts[at]!);

interface Known {
  runs: Float64Array;
  /** Whole texts that few people share. */
  whole: ReadonlySet<number>;
}

function rememberRuns(texts: readonly string[], random: RandomStream): Float64Array {
  const mean = texts.reduce((sum, text) => sum + text.length, 0) / Math.max(1, texts.length);
  const looked = some(texts, Math.max(1, Math.floor(CHARACTERS / Math.max(1, mean))), random);
  const out = new Float64Array(looked.reduce((sum, text) => sum + Math.max(0, text.length - RUN + 1), 0));
  let at = 0;
  for (const text of looked) for (const hash of runHashes(text)) out[at++] = hash;
  return out.sort();
}

function isRemembered(text: string, { runs, whole }: Known): boolean {
  if (text.length < RUN) return whole.has(hashText(text));
  for (const hash of runHashes(text)) if (contains(runs, hash)) return true;
  return false;
}

/** 52-bit rolling hashes (Karp and Rabin, 1987). */
export function* runHashes(text: string): Generator<number> {
  const states = BASES.map((base) => ({ base, hash: 0, leaving: power(base, RUN) }));
  for (let at = 0; at < text.length; at++) {
    for (const state of states) {
      const gone = at >= RUN ? text.charCodeAt(at - RUN) : 0;
      const next = (state.hash * state.base + text.charCodeAt(at) - ((gone * state.leaving) % PRIME)) % PRIME;
      state.hash = next < 0 ? next + PRIME : next;
    }
    if (at >= RUN - 1) yield states[0]!.hash * 2 ** 26 + states[1]!.hash;
  }
}

function power(base: number, exponent: number): number {
  let out = 1;
  for (let i = 0; i < exponent; i++) out = (out * base) % PRIME;
  return out;
}
