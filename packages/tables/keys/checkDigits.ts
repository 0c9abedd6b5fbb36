import validator from 'validator';
import { evenly } from '../../numerics/rows.ts';

export interface CheckScheme {
  readonly name: string;
  holds(id: string): boolean;
  /** Changes check characters, keeping the form; undefined if none makes it valid. */
  mend(id: string): string | undefined;
}

const MAX_IDS = 200;
/** Fewer cannot exclude chance. */
const MIN_IDS = 20;
/** Minimum share of valid identifiers. */
const VALID_SHARE = 0.98;
/** Maximum share still valid after changing a digit; otherwise the scheme checks nothing. */
const SPOILT_SHARE = 0.5;

/** With check digits in tax numbers. */
const TAX_LOCALES =
  'bg-BG cs-CZ de-AT de-DE dk-DK el-CY el-GR en-CA en-IE es-AR es-ES et-EE fi-FI fr-BE fr-FR fr-LU hr-HR hu-HU it-IT lv-LV mt-MT nl-NL pl-PL pt-BR pt-PT ro-RO sk-SK sl-SI sv-SE uk-UA'.split(
    ' ',
  );
/** With check digits in identity cards. */
const CARD_LOCALES = ['PL', 'ES', 'FI', 'IN', 'IT', 'IR', 'NO', 'TH', 'he-IL', 'zh-CN', 'zh-TW'] as const;

const SCHEMES: readonly CheckScheme[] = [
  scheme('IBAN', (id) => validator.isIBAN(id)),
  // The validator accepts any 13 digits with a correct sum.
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
      // A validator that throws does not know the text.
      return false;
    }
  };
  return { name, holds, mend: (id) => (holds(id) ? id : firstValid(id, holds)) };
}

export const checkNamed = (name: string): CheckScheme | undefined => SCHEMES.find((own) => own.name === name);

/** Returns the scheme that nearly all identifiers satisfy, but not with a changed digit. */
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

function spoil(id: string, turn: number): string {
  const places = placesOf(id, /\d/);
  const at = places.at(-1 - (turn % places.length))!;
  return `${id.slice(0, at)}${(Number(id[at]) + 1 + (turn % 8)) % 10}${id.slice(at + 1)}`;
}

const placesOf = (id: string, characters: RegExp): number[] =>
  Array.from({ length: id.length }, (_, at) => at).filter((at) => characters.test(id[at]!));

const DIGITS = [...'0123456789'];
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

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
