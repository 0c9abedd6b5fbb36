/** Draws against exact probabilities. */

/** χ² with its degrees of freedom; values of fewer than 10 expected draws are one cell. */
export function chiSquare(drawn: readonly number[], values: readonly number[], weight: (value: number) => number) {
  const total = values.reduce((sum, value) => sum + weight(value), 0);
  const counts = new Map<number, number>();
  for (const value of drawn) counts.set(value, (counts.get(value) ?? 0) + 1);
  let [sum, cells, restExpected, restFound] = [0, 0, drawn.length, drawn.length];
  for (const value of values) {
    const expected = (drawn.length * weight(value)) / total;
    if (expected < 10) continue;
    const found = counts.get(value) ?? 0;
    sum += (found - expected) ** 2 / expected;
    cells++;
    restExpected -= expected;
    restFound -= found;
  }
  if (restExpected >= 10) {
    sum += (restFound - restExpected) ** 2 / restExpected;
    cells++;
  }
  return { sum, freedom: cells - 1 };
}

/** Above this a χ² variable lies with a probability of 1e-5 (Wilson and Hilferty): a run of the tests in 20,000 by chance. */
export function chiSquareLimit(freedom: number): number {
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + 4.27 * Math.sqrt(spread)) ** 3;
}
