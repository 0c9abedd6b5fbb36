/**
 * Cramér's V of two categories: √(χ² / (n (min(r, c) − 1))) of their contingency table (Cramér, 1946), without bias
 * correction, over the rows in which both have a value. 0 to 1. Of a column's levels the 50 most frequent are looked at
 * and the others are one, so that a table has 51 × 51 cells at most.
 */

const TOP = 50;

/** Codes with all but the most frequent levels as one; codes of no row are left out. */
export function mergeRare(codes: Int32Array, levels: number): { codes: Int32Array; levels: number } {
  if (levels <= TOP + 1) return { codes, levels };
  const counts = new Int32Array(levels);
  for (const code of codes) if (code >= 0) counts[code]!++;
  const place = new Int32Array(levels).fill(TOP);
  const byCount = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]! || a - b);
  for (const [at, code] of byCount.slice(0, TOP).entries()) place[code] = at;
  return { codes: codes.map((code) => (code < 0 ? -1 : place[code]!)), levels: TOP + 1 };
}

/** @param a, b codes, -1 missing. Undefined where one of the two is constant on the rows that they share. */
export function cramersV(
  a: { codes: Int32Array; levels: number },
  b: { codes: Int32Array; levels: number },
): number | undefined {
  const counts = new Int32Array(a.levels * b.levels);
  const [rows, columns] = [new Int32Array(a.levels), new Int32Array(b.levels)];
  for (let row = 0; row < a.codes.length; row++) {
    const [i, j] = [a.codes[row]!, b.codes[row]!];
    if (i < 0 || j < 0) continue;
    counts[i * b.levels + j]!++;
    rows[i]!++;
    columns[j]!++;
  }
  const kinds = Math.min(rows.filter((count) => count > 0).length, columns.filter((count) => count > 0).length);
  if (kinds < 2) return undefined;
  // χ² / n = Σ n_ij² / (n_i n_j) − 1.
  let sum = 0;
  for (let i = 0; i < a.levels; i++) {
    for (let j = 0; j < b.levels; j++) {
      const count = counts[i * b.levels + j]!;
      if (count > 0) sum += (count / rows[i]!) * (count / columns[j]!);
    }
  }
  return Math.sqrt(Math.min(1, Math.max(0, sum - 1) / (kinds - 1)));
}
