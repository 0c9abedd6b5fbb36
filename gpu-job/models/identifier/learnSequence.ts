/** Identifiers that count: one number between a constant prefix and suffix, which only goes up, or only down, row by row. */
import { z } from 'zod';

export const sequenceSchema = z.object({
  prefix: z.string(),
  suffix: z.string(),
  /** Digits that a number has at least, filled up with zeros. */
  width: z.int(),
  /** The largest number there is, in decimal digits: it may be too long for a double. */
  largest: z.string(),
  isDescending: z.boolean(),
  /** Steps from one number to the next, in decimal digits; one where all are alike. */
  steps: z.array(z.string()).min(1),
});
export type Sequence = z.infer<typeof sequenceSchema>;

/** From fewer identifiers a rule cannot be told from chance. */
const LEAST = 3;
/** Steps kept, at most: spread evenly over the column. */
const MOST_STEPS = 1000;
const DIGITS = /^\d{1,100}$/;

/** The sequence of distinct identifiers in the order of their first appearance; undefined where they are none. */
export function learnSequence(ids: readonly string[]): Sequence | undefined {
  if (ids.length < LEAST) return undefined;
  const prefix = commonPrefix(ids).replace(/\d+$/, '');
  const suffix = commonSuffix(ids.map((id) => id.slice(prefix.length))).replace(/^\d+/, '');
  const digits = ids.map((id) => id.slice(prefix.length, id.length - suffix.length));
  if (!digits.every((text) => DIGITS.test(text))) return undefined;
  const numbers = digits.map(BigInt);
  const isDescending = numbers[1]! < numbers[0]!;
  const steps: bigint[] = [];
  for (let i = 1; i < numbers.length; i++) {
    const step = isDescending ? numbers[i - 1]! - numbers[i]! : numbers[i]! - numbers[i - 1]!;
    if (step <= 0n) return undefined;
    steps.push(step);
  }
  const largest = isDescending ? numbers[0]! : numbers.at(-1)!;
  return { prefix, suffix, width: widthOf(digits), largest: String(largest), isDescending, steps: keptSteps(steps) };
}

/** All of one length, or some with a zero in front: the shortest length there is. Else numbers are not filled up. */
function widthOf(digits: readonly string[]): number {
  const shortest = digits.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  const isFixed = digits.every(({ length }) => length === shortest);
  return isFixed || digits.some((text) => text.length > 1 && text.startsWith('0')) ? shortest : 1;
}

function keptSteps(steps: readonly bigint[]): string[] {
  if (steps.every((step) => step === steps[0])) return [String(steps[0])];
  const stride = Math.max(1, steps.length / MOST_STEPS);
  const kept: string[] = [];
  for (let at = 0; at < steps.length; at += stride) kept.push(String(steps[Math.floor(at)]));
  return kept;
}

function commonPrefix(texts: readonly string[]): string {
  let prefix = texts[0] ?? '';
  for (const text of texts) {
    while (!text.startsWith(prefix)) prefix = prefix.slice(0, -1);
  }
  return prefix;
}

function commonSuffix(texts: readonly string[]): string {
  let suffix = texts[0] ?? '';
  for (const text of texts) {
    while (!text.endsWith(suffix)) suffix = suffix.slice(1);
  }
  return suffix;
}
