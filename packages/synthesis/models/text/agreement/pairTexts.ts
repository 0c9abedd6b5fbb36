/**
 * Swaps texts between rows to match what real texts reveal of theirs, since a briefly trained network follows its row
 * too loosely.
 */
import type { RandomStream } from '../../../../numerics/random/stream.ts';
import type { ModelTable } from '../../model.ts';
import { type Agreement, covariancesOf, featuresOf } from './fitAgreement.ts';
import type { SparseRows } from './hashWords.ts';
import { labelValues } from './hashWords.ts';

/** Tries per row and round: first with rows of the same kind, then with any. */
const TRIES_A_ROW = 1_000;
const MAX_TRIES = 4_000_000;
const TRIES_A_BREATH = 20_000;

interface Bond {
  label: Float32Array;
  weight: number;
  /** Excess over the covariances that give the reader's coefficients. */
  excess: Float64Array;
}

/** Returns the row whose text each row gets. */
export async function pairTexts(
  agreement: Agreement,
  made: ModelTable,
  texts: readonly string[],
  random: RandomStream,
  yieldToEventLoop: () => Promise<void>,
): Promise<Int32Array> {
  const textOf = Int32Array.from(texts.keys());
  const features = featuresOf(texts, agreement.places);
  const bonds = bondsOf(agreement, made, features);
  if (bonds.length === 0) return textOf;
  const mayExchange = exchangeRule(agreement, made);
  const difference = differenceOf(features, agreement.places.length + 1);
  const rows = texts.length;
  const tries = Math.min(MAX_TRIES, TRIES_A_ROW * rows);
  for (const partnerOf of [partnersOf(agreement.kind, made, random), () => random.integer(rows)]) {
    for (let k = 0; k < tries; k++) {
      if (k % TRIES_A_BREATH === 0) await yieldToEventLoop();
      const i = random.integer(rows);
      const j = partnerOf(i);
      if (i === j || !mayExchange(i, j)) continue;
      difference.set(textOf[i]!, textOf[j]!);
      if (exchange(bonds, i, j, difference)) [textOf[i], textOf[j]] = [textOf[j]!, textOf[i]!];
    }
  }
  return textOf;
}

function partnersOf(kind: string | null, made: ModelTable, random: RandomStream): (row: number) => number {
  const column = kind === null ? undefined : made.columns.get(kind);
  if (column?.kind !== 'category') return () => random.integer(made.rows);
  const rowsOf = new Map<number, number[]>();
  column.codes.forEach((code, row) => {
    const own = rowsOf.get(code) ?? [];
    own.push(row);
    rowsOf.set(code, own);
  });
  return (row) => {
    const own = rowsOf.get(column.codes[row]!)!;
    return own[random.integer(own.length)]!;
  };
}

/** Features of text b minus those of a. */
interface Difference {
  count: number;
  indices: Int32Array;
  values: Float64Array;
  squares: number;
  set(a: number, b: number): void;
}

function differenceOf({ from, indices, values }: SparseRows, most: number): Difference {
  const out: Difference = {
    count: 0,
    indices: new Int32Array(most),
    values: new Float64Array(most),
    squares: 0,
    set(a, b) {
      let [p, q] = [from[a]!, from[b]!];
      const [pEnd, qEnd] = [from[a + 1]!, from[b + 1]!];
      out.count = 0;
      out.squares = 0;
      while (p < pEnd || q < qEnd) {
        const ofA = p < pEnd ? indices[p]! : Number.POSITIVE_INFINITY;
        const ofB = q < qEnd ? indices[q]! : Number.POSITIVE_INFINITY;
        const at = Math.min(ofA, ofB);
        const value = (ofB === at ? values[q++]! : 0) - (ofA === at ? values[p++]! : 0);
        out.indices[out.count] = at;
        out.values[out.count++] = value;
        out.squares += value * value;
      }
    },
  };
  return out;
}

/** Swaps if that reduces the weighted squared excess. */
function exchange(
  bonds: readonly Bond[],
  i: number,
  j: number,
  { count, indices, values, squares }: Difference,
): boolean {
  let farther = 0;
  for (const { label, weight, excess } of bonds) {
    const change = (label[i]! - label[j]!) / label.length;
    if (change === 0) continue;
    let along = 0;
    for (let k = 0; k < count; k++) along += values[k]! * excess[indices[k]!]!;
    farther += weight * change * (2 * along + change * squares);
  }
  if (farther >= 0) return false;
  for (const { label, excess } of bonds) {
    const change = (label[i]! - label[j]!) / label.length;
    if (change !== 0) for (let k = 0; k < count; k++) excess[indices[k]!]! += change * values[k]!;
  }
  return true;
}

/** Ridge coefficients b solve C b + penalty b = covariances. */
function bondsOf({ readers, penalty }: Agreement, made: ModelTable, features: SparseRows): Bond[] {
  return readers.map(({ label, weight, coefficients }) => {
    const values = labelValues(label, made);
    const scores = scoresOf(features, coefficients);
    const wanted = covariancesOf(features, scores, coefficients.length);
    const excess = covariancesOf(features, values, coefficients.length);
    for (let k = 0; k < excess.length; k++) excess[k]! -= wanted[k]! + penalty * coefficients[k]!;
    return { label: values, weight, excess };
  });
}

function scoresOf({ from, indices, values }: SparseRows, coefficients: Float32Array): Float32Array {
  const scores = new Float32Array(from.length - 1);
  for (let row = 0; row < scores.length; row++) {
    for (let at = from[row]!; at < from[row + 1]!; at++) scores[row]! += coefficients[indices[at]!]! * values[at]!;
  }
  const mean = scores.reduce((sum, own) => sum + own, 0) / Math.max(1, scores.length);
  return scores.map((own) => own - mean);
}

function exchangeRule({ levels }: Agreement, made: ModelTable): (i: number, j: number) => boolean {
  const columns = levels.flatMap(({ column, levels: known }) => {
    const own = made.columns.get(column);
    if (own?.kind !== 'category') return [];
    const isKnown = own.levels.map((level) => known.includes(level));
    const isFree = (code: number): boolean => (code < 0 ? known.includes(null) : isKnown[code]!);
    return [{ codes: own.codes, isFree: Uint8Array.from(own.codes, (code) => (isFree(code) ? 1 : 0)) }];
  });
  return (i, j) => columns.every(({ codes, isFree }) => codes[i] === codes[j] || (isFree[i] === 1 && isFree[j] === 1));
}
