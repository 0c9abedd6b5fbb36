/** A figure, or null and why: no metric is ever NaN, infinite or silently missing. */
export interface Figure {
  value: number | null;
  /** Why it is null, or what it leaves out; whole sentences that name the figure. */
  notes: string[];
}

export const noFigure = (name: string, reason: string): Figure => ({
  value: null,
  notes: [`${name} is null: ${reason}.`],
});

/** Null with a reason where the value overflowed. */
export function toFigure(name: string, value: number, notes: string[] = []): Figure {
  if (Number.isFinite(value)) return { value, notes };
  return { value: null, notes: [...notes, `${name} is null: the numbers are too large for it to be computed.`] };
}

/** The mean over columns; a column whose own figure is a reason in words is left out and named. */
export function averageFigure(name: string, columns: ReadonlyMap<string, number | string>): Figure {
  if (columns.size === 0) return noFigure(name, 'there is no numeric column');
  const values = [...columns.values()].filter((value) => typeof value === 'number');
  const reasons = [...columns].flatMap(([column, value]) =>
    typeof value === 'string' ? [`${JSON.stringify(column)} ${value}`] : [],
  );
  if (values.length === 0) return noFigure(name, reasons.join('; '));
  const notes = reasons.length > 0 ? [`${name} leaves out columns: ${reasons.join('; ')}.`] : [];
  return toFigure(
    name,
    values.reduce((sum, value) => sum + value / values.length, 0),
    notes,
  );
}
