/** Hashes of real texts and text parts that must not be released. */
import { z } from 'zod';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { contains } from '../../numerics/search.ts';
import { float64Schema, hashesSchema } from '../models/shared/savedArrays.ts';
import { COMMON_ROWS } from './thresholds.ts';

export interface TextGuard {
  /** Texts that few owners have. */
  whole: ReadonlySet<number>;
  runs: SharedRuns;
  contacts: KnownContacts;
}

export const buildGuard = (texts: readonly string[], owners?: Owners): TextGuard => ({
  whole: protectedTexts(texts, owners),
  runs: findRuns(texts, owners),
  contacts: findContacts(texts, owners),
});

/**
 * Owner of each text; an owner's texts are adjacent. By default each text has its own. Only what many owners have is
 * common.
 */
export type Owners = ArrayLike<number>;

export function ownedTexts(
  cells: readonly (string | null)[],
  owners: Owners | undefined,
): { texts: string[]; owners: number[] | undefined } {
  const rows = [...cells.keys()].filter((row) => cells[row] !== null && cells[row] !== '');
  return { texts: rows.map((row) => cells[row]!), owners: owners && rows.map((row) => owners[row]!) };
}

class OwnerCounts {
  readonly counts = new Map<number, number>();
  readonly #last = new Map<number, number>();
  readonly #owners: Owners | undefined;

  constructor(owners: Owners | undefined) {
    this.#owners = owners;
  }

  add(hash: number, row: number): void {
    const owner = this.#owners?.[row] ?? row;
    if (this.#last.get(hash) === owner) return;
    this.#last.set(hash, owner);
    this.counts.set(hash, (this.counts.get(hash) ?? 0) + 1);
  }

  isOnly(hash: number, row: number): boolean {
    return this.counts.get(hash) === 1 && this.#last.get(hash) === (this.#owners?.[row] ?? row);
  }
}

export interface TextJudge {
  mayStand(text: string): boolean;
  /** False if no text with this part is allowed, so that writing can stop early. */
  mayHave(part: string): boolean;
}

/** Refuses whole real texts, and more long shared runs than real rows have. */
export function textJudge({ whole, runs }: TextGuard, rows: number): TextJudge {
  let left = Math.floor(runs.rate * rows);
  return {
    mayStand(text) {
      if (whole.has(hashText(text))) return false;
      if (!hasRun(runs, text)) return true;
      return left-- > 0;
    },
    mayHave: (part) => left > 0 || !hasRun(runs, part),
  };
}

export const guardSchema = z.object({
  whole: hashesSchema,
  runs: z.object({ windows: float64Schema, rate: z.number() }),
  contacts: z.object({ all: hashesSchema, common: hashesSchema }),
});

// Contacts in generated texts are redrawn in the same form unless many rows have them.

/** E-mail addresses, handles, numbers of at least seven grouped or five adjacent digits. */
const CONTACT =
  /[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)*\.\p{L}{2,}|(?<![\p{L}\d_])@[\p{L}\d_]{2,}|(?<![\p{L}\d])\+?\d(?:[ ().\-/]{0,2}\d){6,}(?![\p{L}\d])|(?<![\p{L}\d.,])\d{5,}(?![\p{L}\d]|[.,]\d)/gu;
/** Dates and year spans are not contacts. */
const DATES = /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|(?:19|20)\d\d-(?:19|20)\d\d)$/;
/** E-mail endings identify no one. */
const ENDING = /\.\p{L}+$/u;
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ATTEMPTS = 20;

interface KnownContacts {
  all: ReadonlySet<number>;
  common: ReadonlySet<number>;
}

export function findContacts(texts: readonly string[], owners?: Owners): KnownContacts {
  const found = new OwnerCounts(owners);
  texts.forEach((text, row) => {
    for (const [contact] of text.matchAll(CONTACT)) found.add(hashText(contact.toLowerCase()), row);
  });
  const { counts } = found;
  const common = [...counts].flatMap(([hash, count]) => (count >= COMMON_ROWS ? [hash] : []));
  return { all: new Set(counts.keys()), common: new Set(common) };
}

export const inventContacts = (text: string, { all, common }: KnownContacts, random: RandomStream): string =>
  text.replace(CONTACT, (contact) => {
    if (DATES.test(contact) || common.has(hashText(contact.toLowerCase()))) return contact;
    for (let tries = 0; tries < ATTEMPTS; tries++) {
      const made = invented(contact, random);
      if (!all.has(hashText(made.toLowerCase()))) return made;
    }
    return '';
  });

function invented(contact: string, random: RandomStream): string {
  const ending = contact.includes('@') && !contact.startsWith('@') ? (ENDING.exec(contact)?.[0] ?? '') : '';
  const drawn = [...contact.slice(0, contact.length - ending.length)].map((unit, at) => {
    if (/\d/.test(unit)) return String(at === 0 && unit !== '0' ? 1 + random.integer(9) : random.integer(10));
    if (!/\p{L}/u.test(unit)) return unit;
    const letter = LOWER[random.integer(LOWER.length)]!;
    return unit === unit.toLowerCase() ? letter : letter.toUpperCase();
  });
  return drawn.join('') + ending;
}

// Detects runs shared with training rows: any run of over 60 characters contains a 46-character window starting at a
// multiple of 16.

export const WINDOW = 46;
const STRIDE = 16;
const MAX_ASKED = 2000;
/** Arbitrary odd multipliers. */
const BASES = [0x01000193, 0x85ebca6b] as const;

interface SharedRuns {
  /** Ascending hashes of rare windows. */
  windows: Float64Array;
  /** Share of real texts with another row's window. */
  rate: number;
}

export function findRuns(texts: readonly string[], owners?: Owners): SharedRuns {
  const found = new OwnerCounts(owners);
  texts.forEach((text, row) => {
    eachWindow(text, (hash, at) => {
      if (at % STRIDE === 0) found.add(hash, row);
      return false;
    });
  });
  const { counts } = found;
  const windows = Float64Array.from([...counts].flatMap(([hash, count]) => (count < COMMON_ROWS ? [hash] : []))).sort();
  const stride = Math.max(1, Math.ceil(texts.length / MAX_ASKED));
  let [asked, shared] = [0, 0];
  for (let row = 0; row < texts.length; row += stride) {
    asked++;
    const isOthers = (hash: number): boolean => {
      const count = counts.get(hash) ?? 0;
      return count > 0 && count < COMMON_ROWS && !found.isOnly(hash, row);
    };
    if (someWindow(texts[row]!, isOthers)) shared++;
  }
  return { windows, rate: asked > 0 ? shared / asked : 0 };
}

export const hasRun = ({ windows }: SharedRuns, text: string): boolean =>
  windows.length > 0 && someWindow(text, (hash) => contains(windows, hash));

function someWindow(text: string, holds: (hash: number) => boolean): boolean {
  let found = false;
  eachWindow(text, (hash) => {
    found ||= holds(hash);
    return found;
  });
  return found;
}

/** Stops when `take` returns true. Two rolling hashes give 53 bits. */
function eachWindow(text: string, take: (hash: number, at: number) => boolean): void {
  if (text.length < WINDOW) return;
  const [low, high] = BASES.map((base) => ({ base, hash: 0, gone: power(base, WINDOW) })) as [Rolling, Rolling];
  for (let i = 0; i < text.length; i++) {
    const gone = i >= WINDOW ? text.charCodeAt(i - WINDOW) : 0;
    roll(low, text.charCodeAt(i), gone);
    roll(high, text.charCodeAt(i), gone);
    if (i < WINDOW - 1) continue;
    if (take((high.hash & 0x1fffff) * 2 ** 32 + (low.hash >>> 0), i - WINDOW + 1) === true) return;
  }
}

interface Rolling {
  base: number;
  hash: number;
  gone: number;
}

function roll(rolling: Rolling, unit: number, gone: number): void {
  rolling.hash = (Math.imul(rolling.hash, rolling.base) + unit - Math.imul(gone, rolling.gone)) | 0;
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let k = 0; k < exponent; k++) result = Math.imul(result, base);
  return result;
}

/** 53 bits of two FNV-1a hashes, so that texts need not be stored. */
export function hashText(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x01000193) + (low >>> 15);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

export function protectedTexts(texts: readonly string[], owners?: Owners): Set<number> {
  const found = new OwnerCounts(owners);
  texts.forEach((text, row) => {
    found.add(hashText(text), row);
  });
  return new Set([...found.counts].filter(([, count]) => count < COMMON_ROWS).map(([hash]) => hash));
}
