/** Reads times that are digits and marks alone ("2024-03-20 11:35") without a regular expression: columns have millions. */

/** Places in the array of fields. */
export const YEAR = 0;
export const MONTH = 1;
export const DAY = 2;
export const HOUR = 3;
export const MINUTE = 4;
export const SECOND = 5;

const ZERO = 0x30;
const LAST_SPACE = 0x20;

/** A field of `least` to `most` digits, or a character that has to be there. */
interface Step {
  field: number;
  least: number;
  most: number;
  character: number;
}

const FIELDS: Readonly<Record<string, readonly [field: number, least: number, most: number]>> = {
  YYYY: [YEAR, 4, 4],
  MM: [MONTH, 2, 2],
  M: [MONTH, 1, 2],
  DD: [DAY, 2, 2],
  D: [DAY, 1, 2],
  hh: [HOUR, 2, 2],
  h: [HOUR, 1, 2],
  mm: [MINUTE, 2, 2],
  ss: [SECOND, 2, 2],
};

/** The steps of a pattern's tokens; undefined where one is more than digits. `isOther`: the token is no literal. */
export function digitSteps(tokens: readonly string[], isOther: (token: string) => boolean): Step[] | undefined {
  const steps: Step[] = [];
  for (const token of tokens) {
    const [field, least, most] = FIELDS[token] ?? [-1, 0, 0];
    if (field < 0 && isOther(token)) return undefined;
    steps.push({ field, least, most, character: field < 0 ? token.charCodeAt(0) : 0 });
  }
  return steps;
}

/** Fills in the fields that the steps name; false where the text is not of them. Spaces around it are passed over. */
export function readDigits(text: string, steps: readonly Step[], fields: number[]): boolean {
  let end = text.length;
  let at = 0;
  while (at < end && text.charCodeAt(at) <= LAST_SPACE) at++;
  while (end > at && text.charCodeAt(end - 1) <= LAST_SPACE) end--;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    if (step.field < 0) {
      if (at >= end || text.charCodeAt(at++) !== step.character) return false;
      continue;
    }
    let value = 0;
    let count = 0;
    for (; count < step.most && at < end; count++, at++) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = 10 * value + digit;
    }
    if (count < step.least) return false;
    fields[step.field] = value;
  }
  return at === end;
}
