/**
 * The coordinate u of a spline: u(knot j) = j, between knots a monotone cubic (Fritsch and Carlson, 1980), beyond them a
 * straight line. Equal steps of u are equal steps of quantiles, so a bend is as cheap in the bulk as in a long tail.
 */

/** K ascending, distinct knots and du/dz at each. */
export interface KnotCoordinate {
  knots: readonly number[];
  slopes: readonly number[];
}

export function knotCoordinate(knots: Float64Array): KnotCoordinate {
  const last = knots.length - 1;
  const slopes = Array.from(knots, (_, j) => {
    const before = j > 0 ? knots[j]! - knots[j - 1]! : Number.NaN;
    const after = j < last ? knots[j + 1]! - knots[j]! : Number.NaN;
    if (j === 0) return 1 / after;
    if (j === last) return 1 / before;
    const w1 = 2 * after + before;
    const w2 = after + 2 * before;
    return (w1 + w2) / (w1 * before + w2 * after);
  });
  return { knots: [...knots], slopes };
}

export function coordinateOf({ knots, slopes }: KnotCoordinate, z: number): number {
  const last = knots.length - 1;
  if (z <= knots[0]!) return slopes[0]! * (z - knots[0]!);
  if (z >= knots[last]!) return last + slopes[last]! * (z - knots[last]!);
  let j = 0;
  while (z >= knots[j + 1]!) j++;
  const width = knots[j + 1]! - knots[j]!;
  const s = (z - knots[j]!) / width;
  const rise = s * s * (3 - 2 * s);
  return j + rise + width * (s * (1 - s) * (1 - s) * slopes[j]! - s * s * (1 - s) * slopes[j + 1]!);
}
