/** The order of a chain and each column's parent: a directed tree grown greedily by information (after Prim, 1957). */

export interface Link {
  column: number;
  /** The earlier column that tells most of this one; null where none tells anything. */
  parent: number | null;
}

/**
 * `gains[i][j]`: what column i tells of column j. Columns below `given` are there from the start and get no link; the
 * first column of all is the one that tells most of the others. Ties go to the earlier column.
 */
export function chainOrder(gains: readonly (readonly number[])[], given: number): Link[] {
  const count = gains.length;
  const best: Link[] = gains.map((_, column) => ({ column, parent: null }));
  const bestGain = new Float64Array(count);
  const placed = new Set<number>();
  const order: Link[] = [];
  const place = (column: number): void => {
    placed.add(column);
    gains[column]!.forEach((gain, other) => {
      if (placed.has(other) || gain <= bestGain[other]!) return;
      bestGain[other] = gain;
      best[other] = { column: other, parent: column };
    });
  };
  for (let column = 0; column < given; column++) place(column);
  while (placed.size < count) {
    const next = placed.size === 0 ? mostTelling(gains) : mostTold(bestGain, placed);
    order.push(best[next]!);
    place(next);
  }
  return order;
}

function mostTelling(gains: readonly (readonly number[])[]): number {
  const totals = gains.map((row) => row.reduce((sum, gain) => sum + Math.max(0, gain), 0));
  return totals.indexOf(Math.max(...totals));
}

function mostTold(gain: Float64Array, placed: ReadonlySet<number>): number {
  let best = -1;
  gain.forEach((value, column) => {
    if (!placed.has(column) && (best < 0 || value > gain[best]!)) best = column;
  });
  return best;
}
