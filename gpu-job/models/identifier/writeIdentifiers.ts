/** Writes identifiers in a column's form: no two alike, none of the real ones. */
import { isMissing } from '../../../domain/table/missing.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { hashText } from '../text/verbatim.ts';
import { classOf, type Pattern, type Position, type Shape, widened } from './learnPattern.ts';
import type { Sequence } from './learnSequence.ts';

/** Draws before a place that the real identifiers leave alone may change too, and before digits are added. */
const ATTEMPTS_IN_FORM = 20;
const ATTEMPTS_WIDENED = 20;

export interface IdentifierRules {
  /** Null where the identifiers do not count. */
  sequence: Sequence | null;
  pattern: Pattern;
  /** Hashes of the real identifiers. */
  protectedHashes: ReadonlySet<number>;
}

/** As many identifiers as asked for: distinct, and none of the protected ones. */
export function writeIdentifiers(rules: IdentifierRules, count: number, random: RandomStream): string[] {
  return rules.sequence ? writeSequence(rules.sequence, count, random) : writePattern(rules, count, random);
}

/** Goes on after the largest real number, so that none is a real one; in the order in which the real ones run. */
function writeSequence(sequence: Sequence, count: number, random: RandomStream): string[] {
  const { prefix, suffix, width, isDescending, steps } = sequence;
  const sizes = steps.map(BigInt);
  let number = BigInt(sequence.largest);
  const written = Array.from({ length: count }, () => {
    number += sizes.length === 1 ? sizes[0]! : sizes[random.integer(sizes.length)]!;
    return `${prefix}${String(number).padStart(width, '0')}${suffix}`;
  });
  return isDescending ? written.reverse() : written;
}

function writePattern({ pattern, protectedHashes }: IdentifierRules, count: number, random: RandomStream): string[] {
  const drawShape = weighted(pattern.shapes.map((shape) => shape.count));
  const inForm = pattern.shapes.map(drawer);
  const wide = pattern.shapes.map((shape) => drawer({ ...shape, positions: shape.positions.map(widenedPosition) }));
  const written = new Set<string>();
  const mayPass = (text: string): boolean =>
    !written.has(text) && !isMissing(text) && !protectedHashes.has(hashText(text.trim()));
  const longer = lengthener();
  for (let i = 0; i < count; i++) {
    const shape = drawShape(random);
    const drawn = firstOf(ATTEMPTS_IN_FORM, () => inForm[shape]!(random), mayPass);
    let text = drawn ?? firstOf(ATTEMPTS_WIDENED, () => wide[shape]!(random), mayPass);
    while (text === undefined) {
      const candidate = longer(wide[shape]!(random));
      if (mayPass(candidate)) text = candidate;
    }
    written.add(text);
  }
  return [...written];
}

function firstOf(attempts: number, draw: () => string, mayPass: (text: string) => boolean): string | undefined {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const text = draw();
    if (mayPass(text)) return text;
  }
  return undefined;
}

function drawer({ positions }: Shape): (random: RandomStream) => string {
  const draws = positions.map(({ characters, counts }) => {
    const [only] = characters;
    if (characters.length === 1) return () => only!;
    const place = weighted(counts);
    return (random: RandomStream) => characters[place(random)]!;
  });
  return (random) => draws.map((draw) => draw(random)).join('');
}

/** Letters and digits that change may be any of their class; of what does not change, digits alone. */
function widenedPosition({ characters, counts }: Position, at: number): Position {
  const isDigit = characters.some((character) => classOf(character)?.includes('0'));
  if (characters.length === 1 && !isDigit) return { characters, counts };
  const wide = widened(characters, characters, at === 0);
  return { characters: wide, counts: wide.map(() => 1) };
}

/** Puts a number that goes up in place of the last run of digits, one digit longer than it was; at the end where there is none. */
function lengthener(): (text: string) => string {
  const next = new Map<number, bigint>();
  return (text) => {
    const last = /\d+(?=\D*$)/.exec(text);
    const digits = last?.[0].length ?? 0;
    const number = next.get(digits) ?? 10n ** BigInt(digits);
    next.set(digits, number + 1n);
    const at = last?.index ?? text.length;
    return `${text.slice(0, at)}${number}${text.slice(at + digits)}`;
  };
}

/** Draws an index with the given weights. */
function weighted(weights: readonly number[]): (random: RandomStream) => number {
  const upTo = new Float64Array(weights.length);
  let sum = 0;
  weights.forEach((weight, i) => {
    sum += weight;
    upTo[i] = sum;
  });
  return (random) => {
    const at = random.integer(sum);
    let low = 0;
    let high = upTo.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (upTo[middle]! > at) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
