/**
 * Spearman's ρ: Pearson's correlation of ranks, ties sharing their mean rank, over the rows in which both columns have a
 * value (Spearman, 1904).
 */

/** A column of numbers as places in the order of its distinct values; -1 is missing. */
export interface Places {
  place: Int32Array;
  distinct: number;
  complete: boolean;
}

export function placesOf(values: Float64Array): Places {
  const sorted = values.filter(Number.isFinite).sort();
  const distinct = sorted.filter((value, at) => at === 0 || value !== sorted[at - 1]);
  const place = new Int32Array(values.length);
  for (let row = 0; row < place.length; row++) {
    place[row] = Number.isFinite(values[row]!) ? placeIn(distinct, values[row]!) : -1;
  }
  return { place, distinct: distinct.length, complete: sorted.length === values.length };
}

function placeIn(distinct: Float64Array, value: number): number {
  let low = 0;
  let high = distinct.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (distinct[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Centred mean ranks of length 1 over the rows that have a place in both; undefined where they are all tied. */
function unitRanks({ place, distinct }: Places, other: Int32Array): Float64Array | undefined {
  const counts = new Int32Array(distinct);
  let n = 0;
  for (let row = 0; row < place.length; row++) {
    if (place[row]! < 0 || other[row]! < 0) continue;
    counts[place[row]!]!++;
    n++;
  }
  const rank = new Float64Array(distinct);
  let before = 0;
  let squares = 0;
  for (let at = 0; at < distinct; at++) {
    // The mean rank of those tied, less the mean of all ranks.
    rank[at] = before + counts[at]! / 2 - n / 2;
    squares += counts[at]! * rank[at]! ** 2;
    before += counts[at]!;
  }
  if (!(squares > 0)) return undefined;
  const length = Math.sqrt(squares);
  const unit = new Float64Array(place.length);
  for (let row = 0; row < place.length; row++) {
    if (place[row]! >= 0 && other[row]! >= 0) unit[row] = rank[place[row]!]! / length;
  }
  return unit;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let row = 0; row < a.length; row++) sum += a[row]! * b[row]!;
  return Math.min(1, Math.max(-1, sum));
}

/** ρ of columns i and j; undefined where one is constant on the rows that they share. */
export function spearmanOf(columns: readonly Float64Array[]): (i: number, j: number) => number | undefined {
  const places = columns.map(placesOf);
  const whole = places.map((own) => (own.complete ? unitRanks(own, own.place) : undefined));
  return (i, j) => {
    const [a, b] = [places[i]!, places[j]!];
    const both = a.complete && b.complete;
    const u = both ? whole[i] : unitRanks(a, b.place);
    const v = both ? whole[j] : unitRanks(b, a.place);
    return u && v ? dot(u, v) : undefined;
  };
}
