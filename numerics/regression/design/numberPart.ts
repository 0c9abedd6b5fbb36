/** A numeric predictor: slope, bends, and an indicator of its missing cells. */
import { bendEvaluator, columnsOf, learnBend } from './bend.ts';
import type { NumberPart } from './design.ts';
import type { Draft } from './draft.ts';
import type { RowFiller } from './fillRows.ts';
import { learnNumberScale, standardise } from './numberScale.ts';
import type { NumericPredictor } from './predictors.ts';

/** Cells that must be missing, and present, before the difference is worth a coefficient. */
export const LEAST_ROWS = 5;

/** @param mostKnots below 3: no bend. */
export function draftNumber(draft: Draft, { name, values }: NumericPredictor, mostKnots: number): void {
  const present = values.filter(Number.isFinite);
  const scale = learnNumberScale(values) ?? null;
  const missing = values.length - present.length;
  const part: NumberPart = { kind: 'number', name, scale, slope: -1, missing: -1, bend: null, bends: [] };
  if (scale) {
    const perUnit = scale.sd * scale.unit;
    part.slope = draft.addColumn(name, Number.isFinite(perUnit) ? perUnit : null);
    const bend =
      mostKnots >= 3
        ? learnBend(
            present.map((value) => standardise(scale, value)),
            mostKnots,
          )
        : undefined;
    if (bend) {
      part.bend = bend;
      part.bends = Array.from({ length: columnsOf(bend) }, (_, k) => draft.addColumn(`${name} bend ${k + 1}`, null));
      draft.addPool(`bends of ${name}`, part.bends, 1);
    }
  } else draft.drop(name, present.length === 0 ? 'every cell is missing' : 'all its values are equal');
  if (missing > 0) {
    if (Math.min(missing, present.length) >= LEAST_ROWS) part.missing = draft.addColumn(`${name} is missing`, null);
    else if (present.length > 0) draft.drop(`${name} is missing`, `fewer than ${LEAST_ROWS} rows differ in it`);
  }
  draft.parts.push(part);
}

export function numberFiller(part: NumberPart, { values }: NumericPredictor): RowFiller {
  const { scale, slope, missing, bend, bends } = part;
  const evaluate = bend && bends.some((place) => place >= 0) ? bendEvaluator(bend) : null;
  const buffer = new Float64Array(bends.length);
  const present = (slope >= 0 ? 1 : 0) + bends.filter((place) => place >= 0).length;
  const absent = missing >= 0 ? 1 : 0;
  return {
    size: (row) => (Number.isFinite(values[row]!) ? present : absent),
    fill: (row, put) => {
      const value = values[row]!;
      if (!Number.isFinite(value)) {
        if (missing >= 0) put(missing, 1);
        return;
      }
      if (!scale) return;
      const z = standardise(scale, value);
      if (slope >= 0) put(slope, z);
      if (!evaluate) return;
      evaluate(z, buffer, 0);
      for (let k = 0; k < bends.length; k++) if (bends[k]! >= 0) put(bends[k]!, buffer[k]!);
    },
  };
}
