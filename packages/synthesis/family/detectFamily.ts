import type { ColumnProfile } from '../../contract/columns.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { Family, FamilyChoice } from '../../contract/families.ts';
import { familyOf } from '../../numerics/distributions/families.ts';
import { takeNumbers } from '../../numerics/rows.ts';
import { tally } from '../../numerics/tally.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { counted, listed, percent } from '../../words/wording.ts';
import { type Candidates, candidateFamilies } from './candidateFamilies.ts';
import {
  chooseScore,
  comparisonOf,
  differenceOf,
  reasonOf,
  SMALL_BESIDE_ATOMS,
  scoreFamily,
} from './compareFamilies.ts';
import { familyDesign, parsedNumbers, spread } from './familyDesign.ts';
import { type TargetFacts, targetFacts } from './familySupport.ts';
import { isLabelTarget, labelChoice } from './labelTarget.ts';

/** Limits on rows and columns, to bound the time. */
const MAX_ROWS = 2000;
const MAX_COLUMNS = 30;
const MAX_ENTRIES = MAX_ROWS * MAX_COLUMNS;
const ROWS_PER_COLUMN = 10;
const MIN_ROWS = 20;

/**
 * Chooses a family deterministically from the profile: the cheapest within error of the best by held-out predictions.
 * Labels are not compared. Throws `invalid_parameter` for a column without numbers.
 */
export function detectFamily(profile: Profile, column: ColumnProfile): FamilyChoice {
  if (isLabelTarget(column, profile.rows, 'auto')) return labelChoice(column);
  const facts = targetFacts(column);
  if (!facts || !column.format) throw notNumeric(column);
  const obvious = obviousFamily(facts);
  if (obvious) return withoutComparison(obvious.family, obvious.reason);
  const cells = profile.sample.cells[profile.columns.indexOf(column)] ?? [];
  const all = parsedNumbers(
    cells,
    cells.map((_, row) => row),
    column.format,
  );
  const numbers = all.filter((value) => !Number.isNaN(value));
  const candidates = candidateFamilies(facts, numbers);
  if (numbers.length < MIN_ROWS) return tooFew(candidates, numbers.length);
  return compare(profile, column, facts, candidates, all);
}

function obviousFamily({
  min,
  max,
  zeros,
  count,
  distinct,
  isWhole,
}: TargetFacts): { family: Family; reason: string } | undefined {
  if (min === max)
    return { family: 'gaussian', reason: `Every number is ${min}, so no family fits better than another.` };
  if (min === 0 && max === 1 && (isWhole || distinct === 2)) {
    return { family: 'bernoulli', reason: `Every number is 0 or 1; ${percent(1 - zeros / count)} are 1.` };
  }
  if (distinct !== 2) return undefined;
  return {
    family: 'gaussian',
    reason: `There are only two numbers, ${min} and ${max}. Written as 0 and 1, they would be bernoulli.`,
  };
}

const withoutComparison = (family: Family, reason: string): FamilyChoice => ({
  family,
  reason,
  candidates: [],
  runner_up: null,
  rows: 0,
  predictors: [],
});

function tooFew({ words, families }: Candidates, rows: number): FamilyChoice {
  const family = families[0] ?? 'gaussian';
  return withoutComparison(
    family,
    `The values are ${words}, too few to compare families (${rows} in the sample), so ${family.replaceAll('_', ' ')} is used as the default.`,
  );
}

function compare(
  profile: Profile,
  column: ColumnProfile,
  facts: TargetFacts,
  candidates: Candidates,
  all: Float64Array,
): FamilyChoice {
  const numbers = [...all].filter((value) => !Number.isNaN(value));
  const atoms = isDensity(candidates) ? interiorAtoms(numbers) : [];
  const others = atoms.length > 0 ? all.map((value) => (atoms.includes(value) ? Number.NaN : value)) : all;
  const { rows, y, informative } = comparedRows(others);
  const most = Math.floor(Math.min(MAX_COLUMNS, MAX_ENTRIES / y.length, informative.length / ROWS_PER_COLUMN));
  const { columns, predictors } = familyDesign(profile, column, rows, y, informative, most);
  const comparison = comparisonOf(facts, y, columns);
  const scores = candidates.families.flatMap((each) => scoreFamily(comparison, each) ?? []);
  if (scores.length === 0) return tooFew(candidates, y.length);
  const chosen = chooseScore(scores, atoms.length > 0 ? SMALL_BESIDE_ATOMS : 0);
  const ranked = [...scores].sort((a, b) => b.total - a.total);
  const other = ranked.find((score) => score !== chosen);
  const runnerUp = other ? { other, ...differenceOf(chosen, other) } : undefined;
  return {
    family: chosen.family,
    reason: `${reasonOf(candidates, chosen, runnerUp, y, predictors)}${atomWords(atoms, numbers.length - countOf(others), numbers.length)}`,
    candidates: ranked.map(({ family, total }) => ({ family, log_score: total })),
    runner_up: runnerUp
      ? { family: runnerUp.other.family, difference: runnerUp.difference, standard_error: runnerUp.standardError }
      : null,
    rows: y.length,
    predictors,
  };
}

/** Counts and atom families naturally repeat values. */
const isDensity = ({ families }: Candidates): boolean =>
  families.every((family) => familyOf(family).measure === 'continuous');

const countOf = (cells: Float64Array): number =>
  cells.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0);

/** At most `MAX_ROWS` informative rows. Zeros are cheap if most numbers are 0. */
function comparedRows(all: Float64Array): { rows: number[]; y: Float64Array; informative: number[] } {
  const known = [...all.keys()].filter((row) => !Number.isNaN(all[row]!));
  const zeros = known.filter((row) => all[row] === 0).length;
  const isAtom = zeros > known.length / 2 && zeros < known.length;
  const decisive = isAtom ? known.length - zeros : known.length;
  const rows = spread(known, Math.floor((known.length * Math.min(MAX_ROWS, decisive)) / decisive));
  const y = takeNumbers(all, rows);
  const informative = [...y.keys()].filter((i) => !isAtom || y[i] !== 0);
  return { rows, y, informative };
}

const notNumeric = (column: ColumnProfile): ServiceError =>
  new ServiceError(
    { reason: 'target_without_numbers', column: column.name, kind: column.kind },
    { field: 'target_col' },
  );

// No family has point masses inside its range, so comparisons omit them.

/** Minimum share of a point mass. */
const ATOM_SHARE = 0.15;
/** The rest must be a distribution, not a few levels. */
const MIN_OTHERS = 10;
const MIN_OTHER_SHARE = 0.2;

/** Empty if too little else would remain. `values` are finite. */
function interiorAtoms(values: readonly number[]): number[] {
  const counts = tally(values);
  const distinct = [...counts.keys()].sort((a, b) => a - b);
  const atoms = distinct.slice(1, -1).filter((value) => counts.get(value)! >= ATOM_SHARE * values.length);
  const others = atoms.reduce((left, value) => left - counts.get(value)!, values.length);
  const isRest = distinct.length - atoms.length >= MIN_OTHERS && others >= MIN_OTHER_SHARE * values.length;
  return isRest ? atoms : [];
}

function atomWords(atoms: readonly number[], left: number, rows: number): string {
  if (atoms.length === 0) return '';
  const occur = atoms.length === 1 ? 'The value % occurs' : 'The values % occur';
  const named = occur.replace('%', () => listed(atoms.map(String), 3));
  return ` ${named} in ${counted(left, 'row')} (${percent(left / rows)}). No family has a point mass there, so the families were compared on the other rows.`;
}
