import type { Condition } from '../../contract/conditions.ts';

/** Scales conditions to another row count, with at least one row each. Undefined if there are too few rows. */
export function scaleConditions(conditions: readonly Condition[], from: number, to: number): Condition[] | undefined {
  const parts = conditions.flatMap(({ rows }) => (rows === null ? [] : [rows]));
  const others = from - parts.reduce((sum, rows) => sum + rows, 0);
  const all = others > 0 ? [...parts, others] : parts;
  if (parts.length === 0) return [...conditions];
  if (to < all.length) return undefined;
  const scaled = shared(all, from, to);
  let next = 0;
  return conditions.map((condition) => (condition.rows === null ? condition : { ...condition, rows: scaled[next++]! }));
}

/** Rounds to positive integers that sum to `to`, by largest remainder. */
function shared(parts: readonly number[], from: number, to: number): number[] {
  const exact = parts.map((rows) => (rows * to) / from);
  const out = exact.map((share) => Math.max(1, Math.floor(share)));
  const left = to - out.reduce((sum, rows) => sum + rows, 0);
  const byRemainder = [...exact.keys()].sort((a, b) => (exact[b]! % 1) - (exact[a]! % 1) || a - b);
  for (const at of byRemainder.slice(0, Math.max(0, left))) out[at]!++;
  // The largest parts give way to minimums of one row.
  for (let over = -left; over > 0; over--) out[out.indexOf(Math.max(...out))]!--;
  return out;
}
