/** The target as its family's regression sees it: rows that have a number, in the support, in units of their spread. */
import { JobError } from '../../../domain/errors.ts';
import { counted, quoted } from '../../../domain/table/wording.ts';
import { familyOf } from '../../../numerics/distributions/families.ts';
import type { FamilyName } from '../../../numerics/distributions/family.ts';
import { supportScale, toScale } from '../../../numerics/regression/scaleResponse.ts';
import {
  isFenced,
  learnStandardUnits,
  type StandardUnits,
  toStandard,
} from '../../../numerics/regression/standardUnits.ts';
import type { FitTask } from '../model.ts';

export interface Response {
  family: FamilyName;
  /** Rows that have a number. */
  rows: Int32Array;
  /** As they are. */
  values: Float64Array;
  /** In the family's support, and near 1 where that has no bounds. */
  y: Float64Array;
  /** What `y` is in; null where it is in the column's own units, or a share of them. */
  units: StandardUnits | null;
  /** Values so far from the others that they count as nearer. */
  fenced: number;
  /** What 0 is in `y`; NaN where it lies so far off that others would count as it. */
  zero: number;
}

/** Location and scale of these are those of the response itself. */
const WITHOUT_BOUNDS: ReadonlySet<FamilyName> = new Set(['gaussian', 'student_t']);

/** Throws JobError invalid_data where the target has no number, or one that the family cannot have. */
export function responseOf(task: FitTask, name: string): Response {
  const column = task.table.columns.get(name);
  if (column?.kind !== 'numeric') throw new RangeError(`no numeric column ${JSON.stringify(name)}`);
  const rows = Int32Array.from(column.values.keys()).filter((row) => Number.isFinite(column.values[row]!));
  const values = Float64Array.from(rows, (row) => column.values[row]!);
  if (rows.length === 0) {
    throw new JobError(
      'invalid_data',
      `The target ${quoted(name)} has no number in any of ${column.values.length} rows. Choose another target_col.`,
    );
  }
  const family = task.settings.family ?? 'gaussian';
  const max = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const inSupport = toScale(values, supportScale(family, max, false));
  requireSupport(name, family, inSupport);
  requireCountable(name, family, max);
  const units = (WITHOUT_BOUNDS.has(family) && learnStandardUnits(inSupport)) || null;
  const y = units ? inSupport.map((value) => toStandard(units, value)) : inSupport;
  const fenced = units ? inSupport.reduce((count, value) => count + (isFenced(units, value) ? 1 : 0), 0) : 0;
  return { family, rows, values, y, units, fenced, zero: units ? zeroIn(units) : 0 };
}

const zeroIn = (units: StandardUnits): number => (isFenced(units, 0) ? Number.NaN : toStandard(units, 0));

function requireSupport(name: string, family: FamilyName, y: Float64Array): void {
  const { support } = familyOf(family);
  const outside = y.reduce((count, value) => count + (support.holds(value) ? 0 : 1), 0);
  if (outside === 0) return;
  throw new JobError(
    'invalid_data',
    `The target ${quoted(name)} has ${outside} of ${y.length} values that the family ${family} cannot have: it takes ${support.words}. Send POST /generate again with family "auto" or one that fits the column.`,
  );
}

/** Beyond 2⁵³ neighbouring whole numbers are one double, and a density of counts means nothing. */
function requireCountable(name: string, family: FamilyName, max: number): void {
  if (familyOf(family).measure !== 'counts' || max <= Number.MAX_SAFE_INTEGER) return;
  throw new JobError(
    'invalid_data',
    `The target ${quoted(name)} goes up to ${max}, and the family ${family} can count to ${Number.MAX_SAFE_INTEGER} only. Send POST /generate again with family "auto", "gamma" or "lognormal" (with zeros: "hurdle_gamma" or "hurdle_lognormal").`,
  );
}

/** True where all values are one: there is nothing to regress. */
export const isConstant = ({ values }: Response): boolean => values.every((value) => value === values[0]);

export const fencedInWords = (fenced: number): string =>
  fenced === 0
    ? ''
    : ` ${counted(fenced, 'value')} ${fenced === 1 ? 'lies' : 'lie'} further from the middle than a hundred times the spread of nine in ten values: the fit counted ${fenced === 1 ? 'it' : 'them'} as that far.`;
