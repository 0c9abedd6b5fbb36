export const WORD = /\p{L}[\p{L}\p{M}'’]*/gu;

const LONGEST = 80;
const MAX_WORDS = 9;
/** Minimum share of capitalised or caseless words. */
const CAPITAL_SHARE = 0.85;
const STRANGE_SHARE = 0.05;
const NO_NAME = /[\d@#/:;?!]/;

export function lookLikeNames(cells: readonly string[]): boolean {
  let [words, capitals, strange] = [0, 0, 0];
  for (const cell of cells) {
    const own = cell.match(WORD) ?? [];
    words += own.length;
    capitals += own.filter(isCapital).length;
    if (own.length === 0 || own.length > MAX_WORDS || cell.length > LONGEST || NO_NAME.test(cell)) strange++;
  }
  return words > 0 && capitals >= CAPITAL_SHARE * words && strange <= STRANGE_SHARE * cells.length;
}

export const isCapital = (word: string): boolean =>
  word[0] !== word[0]!.toLowerCase() || word.toLowerCase() === word.toUpperCase();

const CALLED =
  /(^| )(full ?name|first ?name|last ?name|first|last|surname|forename|vorname|nachname|fornavn|etternavn|prenom|nom|nombre|apellidos?|sobrenome|cognome|passenger|patient|customer|employee|contact|author|player)( |$)/i;
const CALLED_NAME = /(^| )(names?|nome)( |$)/i;
/** Matches "Miller, Ann", "Mr. Miller". */
const WRITTEN_AS_NAME = /^[^,]+, [^,]+$|(^|\s)(Mr|Mrs|Ms|Miss|Dr|Herr|Frau|Sra?)\.?\s/;
const WRITTEN_SHARE = 0.3;

/** Matches "last_name", "customerName", "Vorname". */
export const isCalledNames = (column: string): boolean => CALLED.test(spaced(column));

/** A column called "name" may hold products. */
export function arePersonNames(column: string, cells: readonly string[]): boolean {
  const isWritten = cells.filter((cell) => WRITTEN_AS_NAME.test(cell)).length >= WRITTEN_SHARE * cells.length;
  return lookLikeNames(cells) && (isCalledNames(column) || (CALLED_NAME.test(spaced(column)) && isWritten));
}

/** "last_name", "lastName" → "last name". */
export const spaced = (column: string): string =>
  column
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[\s_.-]+/g, ' ')
    .trim();
