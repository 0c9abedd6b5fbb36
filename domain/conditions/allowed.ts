/** What a condition allows of a cell: some texts, or some numbers. Conditions on one column are intersected. */

export type Allowed =
  /** Texts exactly as in the file; null is a missing cell. */
  | { kind: 'levels'; texts: ReadonlySet<string | null> }
  /** `values` alone, or where null all of `low` … `high`, ends included; and missing cells where `missing`. */
  | { kind: 'numbers'; values: ReadonlySet<number> | null; low: number; high: number; missing: boolean };

export const allowsText = (allowed: Allowed, text: string | null): boolean =>
  allowed.kind === 'levels' && allowed.texts.has(text);

/** NaN is a missing cell. */
export function allowsNumber(allowed: Allowed, value: number): boolean {
  if (allowed.kind !== 'numbers') return false;
  if (Number.isNaN(value)) return allowed.missing;
  return value >= allowed.low && value <= allowed.high && (allowed.values?.has(value) ?? true);
}

/** What both allow; null where that is nothing. Throws RangeError where they are of different kinds. */
export function intersect(a: Allowed, b: Allowed): Allowed | null {
  if (a.kind === 'levels' && b.kind === 'levels') {
    const texts = new Set([...a.texts].filter((text) => b.texts.has(text)));
    return texts.size > 0 ? { kind: 'levels', texts } : null;
  }
  if (a.kind !== 'numbers' || b.kind !== 'numbers') throw new RangeError('a column has texts or numbers, not both');
  const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)];
  const missing = a.missing && b.missing;
  const listed = a.values && b.values ? [...a.values].filter((value) => b.values?.has(value)) : (a.values ?? b.values);
  const values = listed && new Set([...listed].filter((value) => value >= low && value <= high));
  const isEmpty = values ? values.size === 0 : low > high;
  return isEmpty && !missing ? null : { kind: 'numbers', values, low, high, missing };
}
