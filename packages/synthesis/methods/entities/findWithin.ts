/** Finds relations between successive rows that hold in every entity. */

import type { CategoryColumn, NumericColumn } from '../../models/model.ts';
import { dayOf } from '../../models/sequence/columnModel.ts';
import type { EntityRows } from '../../table/entityRows.ts';
import type { PlannedColumn } from '../../table/modelTable.ts';
import { cellsOf, type RunningSum, type SumPart, type Within } from './withinEntities.ts';

/** Minimum steps that show a relation. */
const MIN_STEPS = 30;
const MAX_COLUMNS = 60;

export function findWithin(rows: EntityRows, columns: readonly PlannedColumn[]): Within[] {
  const looked = columns.filter(({ derivation }) => derivation === null).slice(0, MAX_COLUMNS);
  const numbers = looked.flatMap((column) => {
    const own = rows.table.columns.get(column.name);
    return own?.kind === 'numeric' ? [{ column, own }] : [];
  });
  const sums = findSums(rows, numbers);
  const summed = new Set(sums.map(({ column }) => column));
  const found: Within[] = [...sums];
  for (const { column, own } of numbers) {
    const days = daysOf(column, own);
    if (days) found.push(days);
    const way = summed.has(column.name) ? null : directionOf(rows, own);
    if (way) found.push(way);
  }
  for (const { name } of looked) {
    const own = rows.table.columns.get(name);
    const advancing = own?.kind === 'category' ? advanceOf(rows, own) : null;
    if (advancing) found.push(advancing);
  }
  return [...found, ...findDistinct(rows, looked)];
}

function* stepsOf({ starts }: EntityRows): Generator<number> {
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    for (let row = starts[entity]! + 1; row < starts[entity + 1]!; row++) yield row;
  }
}

// Running sums, such as a balance.

/** Maximum columns tried, in all pairs. */
const MAX_PARTS = 12;

function findSums(rows: EntityRows, numbers: readonly { column: PlannedColumn; own: NumericColumn }[]): RunningSum[] {
  const able = numbers.filter(
    ({ column, own }) =>
      column.format?.kind !== 'time' && column.role === 'continuous' && !own.values.some(Number.isNaN),
  );
  const out: RunningSum[] = [];
  for (const { column, own } of able) {
    const others = able
      .filter(({ own: other }) => other !== own && !out.some((sum) => sum.column === other.name))
      .slice(0, MAX_PARTS);
    const decimals = column.format?.format.decimals ?? 6;
    const tried = partsToTry(others.map((other) => other.own.name));
    const values = (name: string): Float64Array => others.find((other) => other.own.name === name)!.own.values;
    const parts = tried.find((one) =>
      holdsSum(
        rows,
        own.values,
        one.map(({ name, sign }) => ({ values: values(name), sign })),
        decimals,
      ),
    );
    if (parts) out.push({ kind: 'sum', column: column.name, parts, decimals });
  }
  return out;
}

function partsToTry(names: readonly string[]): SumPart[][] {
  const signs = [1, -1] as const;
  const single = names.flatMap((name) => signs.map((sign): SumPart[] => [{ name, sign }]));
  const pairs = names.flatMap((a, i) =>
    names.slice(i + 1).flatMap((b) =>
      signs.flatMap((first) =>
        signs.map((second): SumPart[] => [
          { name: a, sign: first },
          { name: b, sign: second },
        ]),
      ),
    ),
  );
  return [...single, ...pairs];
}

function holdsSum(
  rows: EntityRows,
  sums: Float64Array,
  parts: readonly { values: Float64Array; sign: number }[],
  decimals: number,
): boolean {
  const slack = 0.5 * 10 ** -decimals + 1e-9;
  let [steps, moved] = [0, 0];
  for (const row of stepsOf(rows)) {
    const change = parts.reduce((sum, { values, sign }) => sum + sign * values[row]!, 0);
    if (Math.abs(sums[row]! - sums[row - 1]! - change) > slack * (1 + 1e-6)) return false;
    steps++;
    if (change !== 0) moved++;
  }
  return (
    steps >= MIN_STEPS && moved >= MIN_STEPS / 2 && parts.every(({ values }) => values.some((value) => value !== 0))
  );
}

function directionOf(rows: EntityRows, { name, values }: NumericColumn): Within | null {
  let [up, down, level] = [0, 0, 0];
  for (const row of stepsOf(rows)) {
    const change = values[row]! - values[row - 1]!;
    if (change > 0) up++;
    else if (change < 0) down++;
    else if (change === 0) level++;
    if (up > 0 && down > 0) return null;
  }
  if (Math.max(up, down) < MIN_STEPS) return null;
  return { kind: up > 0 ? 'rises' : 'falls', column: name, strict: level === 0 };
}

const MAX_LEVELS = 60;

function advanceOf(rows: EntityRows, { name, codes, levels }: CategoryColumn): Within | null {
  const kinds = levels.length;
  if (kinds < 2 || kinds > MAX_LEVELS) return null;
  const follows = new Uint8Array(kinds * kinds);
  let moves = 0;
  for (const row of stepsOf(rows)) {
    const [from, to] = [codes[row - 1]!, codes[row]!];
    if (from < 0 || to < 0) return null;
    if (from !== to) moves++;
    follows[from * kinds + to] = 1;
  }
  for (let by = 0; by < kinds; by++) {
    for (let from = 0; from < kinds; from++) {
      if (follows[from * kinds + by] === 0) continue;
      for (let to = 0; to < kinds; to++) follows[from * kinds + to]! |= follows[by * kinds + to]!;
    }
  }
  for (let a = 0; a < kinds; a++) {
    for (let b = 0; b < a; b++) if (follows[a * kinds + b] === 1 && follows[b * kinds + a] === 1) return null;
    follows[a * kinds + a] = 1;
  }
  return moves >= MIN_STEPS ? { kind: 'advances', column: name, levels, follows } : null;
}

const UNITS_A_DAY: Readonly<Record<string, number>> = { day: 1, minute: 1440, second: 86_400, millisecond: 86_400_000 };
/** Minimum times for excluding unused weekdays. */
const MIN_TIMES = 100;

function daysOf({ name, format }: PlannedColumn, { values }: NumericColumn): Within | null {
  const units = format?.kind === 'time' ? UNITS_A_DAY[format.unit] : undefined;
  if (units === undefined) return null;
  const counts = new Array<number>(7).fill(0);
  let times = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    counts[dayOf(units, value)]!++;
    times++;
  }
  const allowed = counts.map((count) => count > 0);
  return times >= MIN_TIMES && allowed.includes(false) ? { kind: 'days', column: name, units, allowed } : null;
}

const MAX_KEY_COLUMNS = 8;
/** Maximum share of repeated rows, also relative to repeats with one column fewer. */
const NEARLY_NONE = 0.002;
const FEWER = 0.02;
/** With fewer repeats without one column, distinct rows may be coincidence. */
const MIN_EQUAL = 100;

function findDistinct(rows: EntityRows, columns: readonly PlannedColumn[]): Within[] {
  const able = columns
    .filter(({ role, format }) => role === 'categorical' || (role === 'continuous' && format?.format.decimals === 0))
    .slice(0, MAX_KEY_COLUMNS)
    .map(({ name }) => name);
  const out: Extract<Within, { kind: 'distinct' }>[] = [];
  for (const set of subsets(able, 3)) {
    if (set.length < 2 || out.some((found) => found.repeats === 0 && found.columns.every((name) => set.includes(name))))
      continue;
    const fewer = set.map((_, i) => {
      return repeatsIn(
        rows,
        set.filter((__, k) => k !== i),
      );
    });
    const least = Math.min(...fewer);
    if (least < MIN_EQUAL) continue;
    const most = Math.floor(Math.min(NEARLY_NONE * rows.table.rows, FEWER * least));
    const own = repeatsIn(rows, set, most + 1);
    if (own <= most) out.push({ kind: 'distinct', columns: set, repeats: own / rows.table.rows });
  }
  return out;
}

function subsets(names: readonly string[], most: number): string[][] {
  let out: string[][] = [[]];
  for (const name of names) out = [...out, ...out.filter((set) => set.length < most).map((set) => [...set, name])];
  return out.filter((set) => set.length > 0).sort((a, b) => a.length - b.length);
}

function repeatsIn({ table, starts }: EntityRows, names: readonly string[], enough = Number.POSITIVE_INFINITY): number {
  const cells = names.map((name) => cellsOf(table, name));
  let found = 0;
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    const seen = new Set<string>();
    for (let row = starts[entity]!; row < starts[entity + 1]!; row++) {
      const key = cells.map((own) => own[row]).join(' ');
      if (seen.has(key) && ++found >= enough) return found;
      seen.add(key);
    }
  }
  return found;
}
