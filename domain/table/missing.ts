/** Which texts stand for a missing cell. */

/** Texts that mean "no value", surrounding white space aside. */
export const MISSING_TOKENS: ReadonlySet<string> = new Set(['', 'NA', 'N/A', 'n/a', 'NaN', 'nan', 'null', 'NULL']);

const LONGEST_TOKEN = 4;
const LAST_SPACE = 0x20;

/** True where the cell's text is one of `MISSING_TOKENS`, white space around it aside. */
export function isMissing(text: string): boolean {
  if (text.length === 0) return true;
  const padded = text.charCodeAt(0) <= LAST_SPACE || text.charCodeAt(text.length - 1) <= LAST_SPACE;
  if (!padded) return text.length <= LONGEST_TOKEN && MISSING_TOKENS.has(text);
  return MISSING_TOKENS.has(text.trim());
}
