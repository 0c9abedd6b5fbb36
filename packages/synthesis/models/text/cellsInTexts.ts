/**
 * Texts that contain other cells of their row, as in "12 Elm Road, 4020 Graz" beside "Graz". Keeps common surroundings
 * as forms, which new texts fill from their own row.
 */
import { z } from 'zod';
import { weighted } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { evenly } from '../../../numerics/rows.ts';
import { COMMON_ROWS } from '../../disclosure/thresholds.ts';
import { cellAt, type ModelColumn, type ModelTable } from '../model.ts';

const digitsSchema = z.array(z.number().min(0)).length(10);

export const cellsInTextsSchema = z.object({
  columns: z.array(z.string()).min(1),
  forms: z
    .array(
      z.object({
        /** Has marks for cells and digits. */
        form: z.string(),
        count: z.int().positive(),
        digits: z.array(digitsSchema),
      }),
    )
    .min(1),
});
export type CellsInTexts = z.infer<typeof cellsInTextsSchema>;

const MAX_TEXTS = 5_000;
const MIN_TEXTS = 50;
const MAX_COLUMNS = 4;
const FIRST_LOOK = 200;
const MIN_SIGNS = 3;
/** Minimum share of texts with their cell, and its ratio to chance (cells of other rows). */
const HOLDING = 0.5;
const BEYOND_CHANCE = 3;
/** Minimum share of texts whose form is kept. */
const KEPT = 0.9;
const FIRST_MARK = 0xe000;
const DIGIT = '\ue0ff';
const MARK = /[\ue000-\ue0ff]/g;
const HAS_MARK = /[\ue000-\ue0fe]/;

/**
 * Returns undefined unless most texts have a common form.
 * @param owners owner of each row, by default its own.
 */
export function findCellsInTexts(
  texts: readonly (string | null)[],
  others: readonly ModelColumn[],
  owners?: Int32Array,
): CellsInTexts | undefined {
  const rows = evenly(
    [...texts.keys()].filter((row) => texts[row]),
    MAX_TEXTS,
  );
  if (rows.length < MIN_TEXTS) return undefined;
  const held = others.flatMap((column) => heldOf(texts, rows, column) ?? []);
  const columns = held.sort((a, b) => b.characters - a.characters).slice(0, MAX_COLUMNS);
  if (columns.length === 0) return undefined;
  const all = rows.map((row) => ({ row, ...formOf(texts[row]!, columns, row) }));
  const forms = commonForms(all, owners);
  const kept = forms.reduce((sum, { count }) => sum + count, 0);
  if (kept < KEPT * rows.length) return undefined;
  return { columns: columns.map(({ column }) => column.name), forms };
}

interface Held {
  column: ModelColumn;
  characters: number;
}

function heldOf(texts: readonly (string | null)[], rows: readonly number[], column: ModelColumn): Held | undefined {
  if (column.kind === 'numeric') return undefined;
  const shareAt = (shift: number, looked = rows): number => {
    const holds = looked.filter((row, at) => {
      const cell = cellAt(column, rows[(at + shift) % rows.length]!);
      return cell !== null && hasSigns(cell) && placeIn(texts[row]!, cell) >= 0;
    });
    return holds.length / looked.length;
  };
  // A few rows rule out most columns.
  if (shareAt(0, rows.slice(0, FIRST_LOOK)) < HOLDING / 2) return undefined;
  const share = shareAt(0);
  // Two shifts, since sorted tables repeat cells at some.
  const chance = () => (shareAt(Math.floor(rows.length / 2) + 1) + shareAt(Math.floor(rows.length / 3) + 2)) / 2;
  if (share < HOLDING || share < BEYOND_CHANCE * chance()) return undefined;
  const lengths = rows.map((row) => cellAt(column, row)?.length ?? 0);
  return { column, characters: lengths.reduce((a, b) => a + b, 0) / rows.length };
}

const hasSigns = (cell: string): boolean => (cell.match(/[\p{L}\d]/gu)?.length ?? 0) >= MIN_SIGNS;

/** Finds whole words only; -1 if absent. */
function placeIn(text: string, cell: string): number {
  for (let at = text.indexOf(cell); at >= 0; at = text.indexOf(cell, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + cell.length)];
    if (!/[\p{L}\d]/u.test(before) && !/[\p{L}\d]/u.test(after)) return at;
  }
  return -1;
}

function formOf(text: string, columns: readonly Held[], row: number): { form: string; digits: string } {
  let form = text;
  columns.forEach(({ column }, k) => {
    const cell = cellAt(column, row);
    const at = cell === null || !hasSigns(cell) ? -1 : placeIn(form, cell);
    if (at >= 0) form = form.slice(0, at) + String.fromCharCode(FIRST_MARK + k) + form.slice(at + cell!.length);
  });
  return { form: form.replace(/\d/g, DIGIT), digits: form.replace(/\D/g, '') };
}

function commonForms(
  all: readonly { row: number; form: string; digits: string }[],
  owners: Int32Array | undefined,
): CellsInTexts['forms'] {
  const groups = new Map<string, { owners: Set<number>; count: number; digits: number[][] }>();
  for (const { row, form, digits } of all) {
    if (!HAS_MARK.test(form)) continue;
    const group = groups.get(form) ?? { owners: new Set(), count: 0, digits: [...digits].map(() => Array(10).fill(0)) };
    groups.set(form, group);
    group.owners.add(owners?.[row] ?? row);
    group.count++;
    [...digits].forEach((digit, at) => {
      group.digits[at]![Number(digit)]!++;
    });
  }
  return [...groups].flatMap(([form, { owners: own, count, digits }]) =>
    own.size >= COMMON_ROWS ? [{ form, count, digits }] : [],
  );
}

const ATTEMPTS = 20;

/** Returns null if no form fits, or `mayStand` refuses every attempt. */
export function writeCellsInTexts(
  { columns, forms }: CellsInTexts,
  made: ModelTable,
  random: RandomStream,
  mayStand: (text: string) => boolean,
): (string | null)[] {
  const of = columns.map((name) => made.columns.get(name));
  const needs = forms.map(({ form }) => columns.flatMap((_, k) => (form.includes(markOf(k)) ? [k] : [])));
  const drawers = new Map<string, (random: RandomStream) => number>();
  return Array.from({ length: made.rows }, (_, row) => {
    const cells = of.map((column) => cellAt(column, row));
    const usable = forms.flatMap((_form, at) => (needs[at]!.every((k) => cells[k] !== null) ? [at] : []));
    if (usable.length === 0) return null;
    const key = usable.join();
    const draw = drawers.get(key) ?? weighted(usable.map((at) => forms[at]!.count));
    drawers.set(key, draw);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = written(forms[usable[draw(random)]!]!, cells, random);
      if (mayStand(text)) return text;
    }
    return null;
  });
}

const markOf = (k: number): string => String.fromCharCode(FIRST_MARK + k);

function written(
  { form, digits }: CellsInTexts['forms'][number],
  cells: readonly (string | null)[],
  random: RandomStream,
): string {
  let at = 0;
  return form.replace(MARK, (mark) => {
    if (mark !== DIGIT) return cells[mark.charCodeAt(0) - FIRST_MARK] ?? '';
    return String(weighted(digits[at++]!)(random));
  });
}
