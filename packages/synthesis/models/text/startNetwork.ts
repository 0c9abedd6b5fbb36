/** Starts from adapters on a base, a small base trained whole, or random weights. */
import type { TextResources } from '../model.ts';
import { type Architecture, layerOperations, type TextBase } from './base/textBase.ts';
import type { Network } from './network/network.ts';
import { adaptedNetwork, type Rows, wholeNetwork } from './network/trainableNetwork.ts';
import { conditionRows, conditionRowWords, type RowForm } from './rowSequences.ts';
import { encoderOf, mergerOf } from './tokens/bytePairs.ts';
import {
  cutVocabulary,
  extendedVocabulary,
  trainedVocabulary,
  trainTokenizer,
  type Vocabulary,
} from './tokens/vocabulary.ts';

/** Adapters would have about as many weights. */
const MAX_WHOLE = 2e7;

export const asNamed = (named: TextBase): Pick<TextResources, 'base' | 'compact'> =>
  (layerOperations(named.architecture) / 2) * named.architecture.layers <= MAX_WHOLE
    ? { base: null, compact: named }
    : { base: named };

export interface Start {
  kind: 'adapted' | 'compact' | 'scratch';
  /** Null from scratch. */
  base: TextBase | null;
  vocabulary: Vocabulary;
}

/** Takes a large base for any texts, a small one only if it knows their script. */
export function chooseStart({ base, compact }: TextResources, texts: readonly string[]): Start {
  if (base) return { kind: 'adapted', base, vocabulary: cutVocabulary(base.tokenizer, base.pieces, texts) };
  if (compact && shareSpelt(compact, texts) <= MAX_SPELT) {
    return { kind: 'compact', base: compact, vocabulary: extendedVocabulary(compact.tokenizer, compact.pieces, texts) };
  }
  return { kind: 'scratch', base: null, vocabulary: trainedVocabulary(trainTokenizer(texts)) };
}

export function startNetwork({ kind, base, vocabulary }: Start, form: RowForm, tokens: number): Network {
  if (base && kind === 'adapted') return networkOnBase(base, form, vocabulary);
  if (base) return networkFrom(base, form, vocabulary);
  return wholeNetwork(compactArchitecture(tokens), vocabulary.pieces.length, conditionRows(form));
}

/** Maximum bytes spelt alone per character. */
const MAX_SPELT = 0.2;
const JUDGED = 200_000;

/** Counts non-ASCII bytes without a longer piece, per character. */
export function shareSpelt(
  { tokenizer, pieces }: Pick<TextBase, 'tokenizer' | 'pieces'>,
  texts: readonly string[],
): number {
  const encode = encoderOf(tokenizer);
  const isSpelt = (piece: string): boolean => piece.length === 1 && piece.charCodeAt(0) > 0x7e && pieces.has(piece);
  let [characters, bytes] = [0, 0];
  for (const text of texts) {
    if (characters > JUDGED) break;
    characters += [...text].length;
    for (const piece of encode(text)) if (isSpelt(piece) && piece !== 'Ġ') bytes++;
  }
  return characters === 0 ? 0 : bytes / characters;
}

/** Conditions start as the mean embedding of their words. */
export function networkOnBase(base: TextBase, form: RowForm, vocabulary: Pick<Vocabulary, 'pieces'>): Network {
  const kept = Array.from({ length: base.architecture.layers }, (_, k) => k);
  return adaptedNetwork(base.architecture, base.weights(kept), startRows(base, form, vocabulary));
}

/** Markers start as END, which precedes the base's texts. */
function networkFrom(base: TextBase, form: RowForm, vocabulary: Vocabulary): Network {
  const { width, layers } = base.architecture;
  const rows = startRows(base, form, vocabulary);
  const markers = conditionRows(form) - form.columns.length;
  form.columns.forEach((_, k) => {
    rows.conditions.set(base.embedding(base.end), (markers + k) * width);
  });
  const weights = base.weights(Array.from({ length: layers }, (_, k) => k));
  return wholeNetwork(base.architecture, vocabulary.pieces.length, conditionRows(form), { weights, rows });
}

/** New pieces start as the mean of their parts. */
function startRows(base: TextBase, form: RowForm, vocabulary: Pick<Vocabulary, 'pieces'>): Rows {
  const { width } = base.architecture;
  const pieces = new Float32Array(vocabulary.pieces.length * width);
  const partsOf = mergerOf(base.tokenizer);
  vocabulary.pieces.forEach((piece, k) => {
    const own = k === 0 ? base.end : base.pieces.get(piece);
    const parts = own === undefined ? partsOf(piece).map((part) => base.pieces.get(part)!) : [own];
    addMean(pieces, k * width, parts, base);
  });
  const words = conditionRowWords(form);
  const conditions = new Float32Array(words.length * width);
  const whole = cutVocabulary(base.tokenizer, base.pieces, words, 0);
  words.forEach((own, row) => {
    addMean(
      conditions,
      row * width,
      whole.encode(own).map((id) => base.pieces.get(whole.pieces[id]!)!),
      base,
    );
  });
  return { pieces, conditions };
}

function addMean(out: Float32Array, at: number, ids: readonly number[], base: TextBase): void {
  for (const id of ids) {
    base.embedding(id).forEach((x, k) => {
      out[at + k]! += x / ids.length;
    });
  }
}

/** With less text, models are narrower, or take smaller steps. */
const LITTLE_TEXT = 60_000;
export const isLittleText = (tokens: number): boolean => tokens <= LITTLE_TEXT;

export function compactArchitecture(tokens: number): Architecture {
  const wide = !isLittleText(tokens);
  const width = wide ? 192 : 128;
  return {
    width,
    layers: 4,
    heads: width / 32,
    keyHeads: 2,
    headWidth: 32,
    hidden: wide ? 512 : 352,
    ropeBase: 10_000,
    epsilon: 1e-5,
  };
}
