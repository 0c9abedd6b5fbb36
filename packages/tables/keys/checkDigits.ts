/** Check digits of identifiers: which scheme a column's numbers keep to, and numbers made to keep to it. */
import validator from 'validator';
import { evenly } from '../../numerics/rows.ts';

export interface CheckScheme {
  /** As people call it. */
  readonly name: string;
  holds(id: string): boolean;
  /** The identifier with other digits in places of checks, in the same form; undefined where none makes it valid. */
  mend(id: string): string | undefined;
}

/** Identifiers looked at, at most: spread evenly over the column. */
const MAX_IDS = 200;
/** From fewer a scheme cannot be distinguished from chance. */
const MIN_IDS = 20;
/** Share of the identifiers that keep to the scheme. */
const VALID_SHARE = 0.98;
/** Share that still does with one digit changed, at most: a scheme that checks nothing holds for those, too. */
const SPOILT_SHARE = 0.5;

/** Countries whose tax numbers have check digits. */
const TAX_LOCALES =
  'bg-BG cs-CZ de-AT de-DE dk-DK el-CY el-GR en-CA en-IE es-AR es-ES et-EE fi-FI fr-BE fr-FR fr-LU hr-HR hu-HU it-IT lv-LV mt-MT nl-NL pl-PL pt-BR pt-PT ro-RO sk-SK sl-SI sv-SE uk-UA'.split(
    ' ',
  );
/** … and their identity cards. */
const CARD_LOCALES = ['PL', 'ES', 'FI', 'IN', 'IT', 'IR', 'NO', 'TH', 'he-IL', 'zh-CN', 'zh-TW'] as const;

/** The more particular before those that hold for their numbers as well. */
const SCHEMES: readonly CheckScheme[] = [
  scheme('IBAN', (id) => validator.isIBAN(id)),
  // Of thirteen digits, only those of books: the validator takes any that fulfil the sum.
  scheme('ISBN', (id) => validator.isISBN(id, 10) || (/^97[89]/.test(id) && validator.isISBN(id, 13))),
  scheme('ISSN', (id) => validator.isISSN(id)),
  scheme('ISIN', (id) => validator.isISIN(id)),
  scheme('EAN', (id) => validator.isEAN(id)),
  scheme('card number', (id) => validator.isCreditCard(id)),
  scheme('IMEI', (id) => validator.isIMEI(id)),
  scheme('container number', (id) => validator.isISO6346(id)),
  scheme('bank routing number', (id) => validator.isAbaRouting(id)),
  ...TAX_LOCALES.map((locale) => scheme(`tax number (${locale})`, (id) => validator.isTaxID(id, locale))),
  ...CARD_LOCALES.map((locale) => scheme(`identity number (${locale})`, (id) => validator.isIdentityCard(id, locale))),
  scheme('Luhn', (id) => validator.isLuhnNumber(id)),
];

function scheme(name: string, valid: (id: string) => boolean): CheckScheme {
  const holds = (id: string): boolean => {
    try {
      return valid(id.trim());
    } catch {
      // A validator that chokes on a text does not know it.
      return false;
    }
  };
  return { name, holds, mend: (id) => (holds(id) ? id : firstValid(id, holds)) };
}

/** The scheme of that name. */
export const checkNamed = (name: string): CheckScheme | undefined => SCHEMES.find((own) => own.name === name);

/** The scheme that nearly all of the distinct identifiers keep to, and would not with another digit. */
export function findCheck(all: readonly string[]): CheckScheme | undefined {
  if (all.length < MIN_IDS) return undefined;
  const ids = evenly(all, MAX_IDS);
  const digits = ids.filter((id) => /\d/.test(id));
  if (digits.length < VALID_SHARE * ids.length) return undefined;
  const spoilt = digits.map((id, i) => spoil(id, i));
  const share = (of: readonly string[], { holds }: CheckScheme): number => of.filter(holds).length / of.length;
  const few = ids.slice(0, MIN_IDS);
  return SCHEMES.find(
    (own) =>
      share(few, own) >= VALID_SHARE - 1 / MIN_IDS &&
      share(ids, own) >= VALID_SHARE &&
      share(spoilt, own) <= SPOILT_SHARE,
  );
}

/** One digit changed: in turn the last, the one before it, … */
function spoil(id: string, turn: number): string {
  const places = placesOf(id, /\d/);
  const at = places.at(-1 - (turn % places.length))!;
  return `${id.slice(0, at)}${(Number(id[at]) + 1 + (turn % 8)) % 10}${id.slice(at + 1)}`;
}

const placesOf = (id: string, characters: RegExp): number[] =>
  Array.from({ length: id.length }, (_, at) => at).filter((at) => characters.test(id[at]!));

const DIGITS = [...'0123456789'];
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Other characters in the last place, the last two, the two after a country's letters, or any one place of digits. */
function firstValid(id: string, holds: (id: string) => boolean): string | undefined {
  const places = placesOf(id, /[0-9A-Za-z]/);
  const [last, beforeLast] = [places.at(-1), places.at(-2)];
  if (last === undefined || beforeLast === undefined) return undefined;
  const numbers = placesOf(id, /\d/);
  const tries = [
    [last],
    [beforeLast, last],
    ...(/^[A-Z]{2}\d\d/.test(id) ? [[2, 3]] : []),
    ...numbers.map((at) => [at]),
  ];
  for (const at of tries) {
    const found = filled(id, at, holds);
    if (found !== undefined) return found;
  }
  return undefined;
}

function filled(id: string, [at, ...rest]: readonly number[], holds: (id: string) => boolean): string | undefined {
  if (at === undefined) return holds(id) ? id : undefined;
  for (const character of /\d/.test(id[at]!) ? DIGITS : LETTERS) {
    const found = filled(`${id.slice(0, at)}${character}${id.slice(at + 1)}`, rest, holds);
    if (found !== undefined) return found;
  }
  return undefined;
}
