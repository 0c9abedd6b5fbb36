/**
 * Gives written texts to the rows that they go with: texts change places until plain readers find as much of the rows in
 * them as in real ones. A network trained for few epochs writes each kind of text, but follows its row too loosely.
 */
import type { RandomStream } from '../../../../numerics/random/stream.ts';
import type { ModelTable } from '../../model.ts';
import { hashedWords, scoreOf } from './hashedWords.ts';
import { labelValues, standardised } from './labels.ts';
import { type Agreement, correlation, lengthScores } from './learnAgreement.ts';

/** Exchanges that are looked at, for each row: first with rows of the same kind, whose texts share what no reader knows. */
const TRIES_A_ROW = [40, 30] as const;
const TRIES_A_BREATH = 50_000;
/** What is still missing of all correlations, squared and summed, at which it ends. */
const ENOUGH = 1e-5;

/** A correlation that real rows have: of a label with a statistic of the text. `sign` makes it positive. */
interface Bond {
  label: Float32Array;
  statistic: Float32Array;
  sign: number;
  wanted: number;
}

interface Pairing {
  bonds: readonly Bond[];
  /** For each row the row whose text it is to have. */
  place: Int32Array;
  /** Correlations of the bonds, and what is missing of them. */
  have: Float64Array;
  missing: number;
}

/** For each row the row whose text it is to have. `texts` are by row of `made`. */
export async function pairTexts(
  { readers, kind }: Agreement,
  made: ModelTable,
  texts: readonly string[],
  random: RandomStream,
  breathe: () => Promise<void>,
): Promise<Int32Array> {
  const place = Int32Array.from(texts.keys());
  const bonds = bondsOf(readers, made, texts);
  const have = Float64Array.from(bonds, ({ label, statistic, sign }) => sign * correlation(label, statistic));
  const pairing = { bonds, place, have, missing: missingOf(bonds, have) };
  const drawLike = partnersOf(kind, made, random);
  await exchange(pairing, TRIES_A_ROW[0] * texts.length, random, drawLike, breathe);
  await exchange(pairing, TRIES_A_ROW[1] * texts.length, random, () => random.integer(texts.length), breathe);
  return place;
}

/** Takes every exchange after which less is missing. */
async function exchange(
  pairing: Pairing,
  most: number,
  random: RandomStream,
  partnerOf: (row: number) => number,
  breathe: () => Promise<void>,
): Promise<void> {
  const { bonds, place, have } = pairing;
  const rows = place.length;
  const after = new Float64Array(bonds.length);
  for (let tries = 0; tries < most && pairing.missing > ENOUGH; tries++) {
    if (tries % TRIES_A_BREATH === 0) await breathe();
    const i = random.integer(rows);
    const j = partnerOf(i);
    const [a, b] = [place[i]!, place[j]!];
    for (let k = 0; k < bonds.length; k++) {
      const { label, statistic, sign } = bonds[k]!;
      after[k] = have[k]! + (sign * (label[i]! - label[j]!) * (statistic[b]! - statistic[a]!)) / rows;
    }
    const left = missingOf(bonds, after);
    if (left >= pairing.missing) continue;
    pairing.missing = left;
    have.set(after);
    place[i] = b;
    place[j] = a;
  }
}

function missingOf(bonds: readonly Bond[], have: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < bonds.length; k++) sum += Math.max(0, bonds[k]!.wanted - have[k]!) ** 2;
  return sum;
}

/** A random row of the same level, or of none where the cell is missing. */
function partnersOf(kind: string | null, made: ModelTable, random: RandomStream): (row: number) => number {
  const column = kind === null ? undefined : made.columns.get(kind);
  if (column?.kind !== 'category') return (row) => row;
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

function bondsOf(readers: Agreement['readers'], made: ModelTable, texts: readonly string[]): Bond[] {
  const words = hashedWords(texts);
  const lengths = lengthScores(texts);
  return readers.flatMap(({ label, weights, agreement, length }) => {
    const values = labelValues(label, made);
    const scores = standardised(Float32Array.from(texts, (_, row) => scoreOf(words, row, weights)));
    return [
      { label: values, statistic: scores, sign: 1, wanted: agreement },
      { label: values, statistic: lengths, sign: Math.sign(length), wanted: Math.abs(length) },
    ];
  });
}
