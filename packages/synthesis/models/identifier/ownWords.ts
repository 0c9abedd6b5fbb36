/**
 * Words of a row in its keys, as in "olga.ridge90@example.org" for "Olga Ridge". Patterns have marks for them, which
 * new keys fill from their own rows.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { cellAt, type ModelColumn, type ModelTable } from '../model.ts';

export const ownWordsSchema = z.object({
  columns: z.array(z.string()).min(1).max(3),
  /** Whether ä is written ae. */
  isGerman: z.boolean(),
});
export type OwnWords = z.infer<typeof ownWordsSchema>;

const MAX_COLUMNS = 3;
const MAX_ROWS = 5_000;
/** Minimum share of keys with a word of their row, and its ratio to chance. */
const MIN_SHARE = 0.3;
const BEYOND_CHANCE = 3;
const MIN_LETTERS = 3;
const MIN_KEYS = 30;

/** First word, last word, and their initials, tried in this order. */
const TOKENS = 4;
const STYLES = [
  (word: string) => word,
  (word: string) => word.charAt(0).toUpperCase() + word.slice(1),
  (word: string) => word.toUpperCase(),
] as const;
/** Private-use characters, which no key contains. */
const FIRST_MARK = 0xe000;
const MARK = /[\ue000-\ue0ff]/g;
const RUN = /\p{L}+/gu;

const GERMAN: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

/** Normalises a word: lower case without accents. */
function plain(word: string, isGerman: boolean): string {
  const small = word.toLowerCase();
  const spelled = isGerman ? small.replace(/[äöüß]/g, (letter) => GERMAN[letter]!) : small;
  return spelled.normalize('NFD').replace(/\p{M}/gu, '').replace(/ß/g, 'ss');
}

function tokensOf(cell: string | null, isGerman: boolean): string[] | null {
  const words = (cell ?? '').match(RUN);
  if (!words) return null;
  const [first, last] = [plain(words[0], isGerman), plain(words.at(-1)!, isGerman)];
  return [first, last, first.charAt(0), last.charAt(0)];
}

/** @param others columns of keys, which are not searched. */
export function findOwnWords(
  keys: readonly (string | null)[],
  table: ModelTable,
  others: readonly string[],
): OwnWords | undefined {
  const rows = [...keys.keys()].filter((row) => keys[row]).slice(0, MAX_ROWS);
  if (rows.length < MIN_KEYS || !rows.some((row) => /\p{L}{3}/u.test(keys[row]!))) return undefined;
  const found = [...table.columns.values()].flatMap((column) => {
    if (column.kind === 'numeric' || others.includes(column.name)) return [];
    const share = Math.max(
      shareWith(keys, rows, column, { isGerman: false }),
      shareWith(keys, rows, column, { isGerman: true }),
    );
    const chance =
      share < MIN_SHARE ? 1 : shareWith(keys, rows, column, { isGerman: false, shift: Math.floor(rows.length / 2) });
    return share >= MIN_SHARE && share >= BEYOND_CHANCE * chance ? [{ name: column.name, share }] : [];
  });
  const columns = found.sort((a, b) => b.share - a.share).slice(0, MAX_COLUMNS);
  if (columns.length === 0) return undefined;
  const best = table.columns.get(columns[0]!.name)!;
  const isGerman = shareWith(keys, rows, best, { isGerman: true }) > shareWith(keys, rows, best, { isGerman: false });
  return { columns: columns.map(({ name }) => name), isGerman };
}

/** Returns the share of keys with a word of the row `shift` further on. */
function shareWith(
  keys: readonly (string | null)[],
  rows: readonly number[],
  column: ModelColumn,
  { isGerman, shift = 0 }: { isGerman: boolean; shift?: number },
): number {
  const has = rows.filter((row, at) => {
    const tokens = tokensOf(cellAt(column, rows[(at + shift) % rows.length]!), isGerman);
    const runs = keys[row]!.match(RUN) ?? [];
    return tokens && runs.some((run) => spelledBy(run, [tokens])?.some((token) => token % TOKENS < 2));
  });
  return has.length / rows.length;
}

/** Returns the tokens that spell a run, at least one of them a word. */
function spelledBy(run: string, tokens: readonly (readonly string[] | null)[]): number[] | null {
  const small = run.toLowerCase();
  const all = tokens.flatMap((of) => of ?? new Array<string>(TOKENS).fill(''));
  const isWord = (at: number): boolean => at % TOKENS < 2 && all[at]!.length >= MIN_LETTERS;
  for (let a = 0; a < all.length; a++) {
    if (isWord(a) && all[a] === small) return [a];
  }
  for (let a = 0; a < all.length; a++) {
    if (all[a] === '' || !small.startsWith(all[a]!)) continue;
    const rest = small.slice(all[a]!.length);
    for (let b = 0; b < all.length; b++) {
      if (b !== a && all[b] === rest && rest !== '' && (isWord(a) || isWord(b))) return [a, b];
    }
  }
  return null;
}

/** Puts marks in place of the row's words. */
export function marked(key: string, row: number, { columns, isGerman }: OwnWords, table: ModelTable): string {
  const tokens = columns.map((name) => tokensOf(cellAt(table.columns.get(name), row), isGerman));
  const runs = [...key.matchAll(RUN)].map(([run]) => spelledBy(run, tokens));
  const isNamed = runs.some((spelled) => spelled !== null);
  let at = 0;
  return key.replace(RUN, (run) => {
    const spelled = runs[at++] ?? (isNamed ? initialOf(run, tokens) : null);
    return spelled ? spelled.map((token) => markOf(token, run)).join('') : run;
  });
}

function initialOf(run: string, tokens: readonly (readonly string[] | null)[]): number[] | null {
  if (run.length !== 1) return null;
  const all = tokens.flatMap((of) => of ?? new Array<string>(TOKENS).fill(''));
  const at = all.findIndex((token, own) => own % TOKENS >= 2 && token === run.toLowerCase());
  return at < 0 ? null : [at];
}

function markOf(token: number, run: string): string {
  const isLoud = run.length > 1 && run === run.toUpperCase();
  const style = isLoud ? 2 : Number(run.charAt(0) !== run.charAt(0).toLowerCase());
  return String.fromCharCode(FIRST_MARK + token * STYLES.length + style);
}

/** Fills marks with words of a row, or of another row if it has none. */
export function ownWordsWriter(
  { columns, isGerman }: OwnWords,
  made: ModelTable,
  random: RandomStream,
): (text: string, row: number) => string {
  const cells = columns.map((name) => made.columns.get(name));
  const wordOf = (token: number, row: number): string => {
    const column = cells[Math.floor(token / TOKENS)];
    const tokens = tokensOf(cellAt(column, row), isGerman) ?? tokensOf(anyCell(column, made.rows, random), isGerman);
    return tokens?.[token % TOKENS] ?? '';
  };
  return (text, row) =>
    text.replace(MARK, (mark) => {
      const code = mark.charCodeAt(0) - FIRST_MARK;
      return STYLES[code % STYLES.length]!(wordOf(Math.floor(code / STYLES.length), row));
    });
}

const TRIES = 20;

function anyCell(column: ModelColumn | undefined, rows: number, random: RandomStream): string | null {
  for (let tried = 0; tried < TRIES; tried++) {
    const cell = cellAt(column, random.integer(rows));
    if (cell !== null && /\p{L}/u.test(cell)) return cell;
  }
  return null;
}
