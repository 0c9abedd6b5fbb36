/** Columns that follow from another one in every row: education_num from education, the region from the province. */

export interface ColumnClasses {
  /** 0: missing; one a row. */
  classes: Int32Array;
  /** Classes there can be. */
  kinds: number;
  /** Classes there are. */
  seen: number;
}

/** Rows a determining level has on average, at least: an identifier determines everything and says nothing. */
export const ROWS_A_LEVEL = 5;
/** Cells that the search reads, at most. */
const MOST_CELLS = 2e9;

/**
 * For each column the one that it follows from, or null. Among several it is the one with the fewest classes; of two that
 * determine each other only the later one (`order`) follows.
 */
export function findFunctions(columns: readonly ColumnClasses[], order: readonly number[]): (number | null)[] {
  const place = new Int32Array(columns.length);
  order.forEach((column, at) => {
    place[column] = at;
  });
  let cells = MOST_CELLS;
  return columns.map((child, c) => {
    if (child.seen < 2) return null;
    let best: number | null = null;
    columns.forEach((parent, p) => {
      const rows = parent.classes.length;
      if (p === c || parent.seen < child.seen || parent.seen * ROWS_A_LEVEL > rows || cells < rows) return;
      if (parent.seen === child.seen && place[p]! > place[c]!) return;
      if (best !== null && columns[best]!.seen <= parent.seen) return;
      cells -= rows;
      if (follows(parent, child)) best = p;
    });
    return best;
  });
}

function follows(parent: ColumnClasses, child: ColumnClasses): boolean {
  const known = new Int32Array(parent.kinds).fill(-1);
  for (let row = 0; row < parent.classes.length; row++) {
    const from = parent.classes[row]!;
    const to = child.classes[row]!;
    if (known[from] === -1) known[from] = to;
    else if (known[from] !== to) return false;
  }
  return true;
}

/** The order with each column after the one that it follows from; otherwise unchanged. */
export function orderFunctions(order: readonly number[], functions: readonly (number | null)[]): number[] {
  const out: number[] = [];
  const placed = new Set<number>();
  const place = (column: number): void => {
    if (placed.has(column)) return;
    placed.add(column);
    const parent = functions[column] ?? null;
    if (parent !== null) place(parent);
    out.push(column);
  };
  order.forEach(place);
  return out;
}
