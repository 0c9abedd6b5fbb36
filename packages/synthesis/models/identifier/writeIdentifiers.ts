/** Writes distinct identifiers, none of them real. */
import { weighted } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { CheckScheme } from '../../../tables/keys/checkDigits.ts';
import {
  classOf,
  type Pattern,
  type Position,
  type Sequence,
  type Shape,
  widened,
} from '../../../tables/keys/inferPattern.ts';
import { isMissing } from '../../../tables/missing.ts';
import { hashText } from '../../disclosure/guardTexts.ts';
import { chunks } from '../model.ts';

/** Maximum draws in form, then with constant digits varied. */
const ATTEMPTS_IN_FORM = 20;
const ATTEMPTS_WIDENED = 20;
const CHUNK = 25_000;

export interface IdentifierRules {
  /** Null if the identifiers do not count. */
  sequence: Sequence | null;
  pattern: Pattern;
  check?: CheckScheme | undefined;
  protectedHashes: ReadonlySet<number>;
}

/** Fills the marks of an identifier by its number. */
export type Fill = (text: string, identifier: number) => string;

/** Calls `onProgress` after each chunk. */
export async function writeIdentifiers(
  rules: IdentifierRules,
  count: number,
  random: RandomStream,
  onProgress: (written: number) => Promise<void>,
  fill: Fill = (text) => text,
): Promise<string[]> {
  const write = rules.sequence ? sequenceWriter(rules.sequence, random) : patternWriter(rules, random, fill);
  const written: string[] = [];
  for (const { from, to } of chunks(count, CHUNK)) {
    for (let i = from; i < to; i++) written.push(write(i));
    await onProgress(to);
  }
  return rules.sequence?.isDescending ? written.reverse() : written;
}

/** Continues after the largest real number, so that none is real. */
function sequenceWriter(sequence: Sequence, random: RandomStream): () => string {
  const { prefix, suffix, width, steps } = sequence;
  const sizes = steps.map(BigInt);
  let number = BigInt(sequence.largest);
  return () => {
    number += sizes.length === 1 ? sizes[0]! : sizes[random.integer(sizes.length)]!;
    return `${prefix}${String(number).padStart(width, '0')}${suffix}`;
  };
}

function patternWriter(
  { pattern, check, protectedHashes }: IdentifierRules,
  random: RandomStream,
  fill: Fill,
): (identifier: number) => string {
  const drawShape = weighted(pattern.shapes.map((shape) => shape.count));
  const inForm = pattern.shapes.map(drawer);
  const wide = pattern.shapes.map((shape) => drawer({ ...shape, positions: shape.positions.map(widenedPosition) }));
  const written = new Set<string>();
  const mayPass = (text: string): boolean =>
    !written.has(text) && !isMissing(text) && !protectedHashes.has(hashText(text.trim()));
  const longer = lengthener();
  return (identifier) => {
    const shape = drawShape(random);
    const whole = (text: string) => (check ? check.mend(fill(text, identifier)) : fill(text, identifier));
    const drawn = firstOf(ATTEMPTS_IN_FORM, () => whole(inForm[shape]!(random)), mayPass);
    let text = drawn ?? firstOf(ATTEMPTS_WIDENED, () => whole(wide[shape]!(random)), mayPass);
    while (text === undefined) {
      // A longer one may fail the check, which is better than a real one.
      const candidate = longer(fill(wide[shape]!(random), identifier));
      if (mayPass(candidate)) text = candidate;
    }
    written.add(text);
    return text;
  };
}

function firstOf(
  attempts: number,
  draw: () => string | undefined,
  mayPass: (text: string) => boolean,
): string | undefined {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const text = draw();
    if (text !== undefined && mayPass(text)) return text;
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

function widenedPosition({ characters, counts }: Position, at: number): Position {
  const isDigit = characters.some((character) => classOf(character)?.includes('0'));
  if (characters.length === 1 && !isDigit) return { characters, counts };
  const wide = widened(characters, characters, at === 0);
  return { characters: wide, counts: wide.map(() => 1) };
}

/** Replaces the last digits by a longer counter; in addresses before the @. */
function lengthener(): (text: string) => string {
  const next = new Map<number, bigint>();
  return (text) => {
    const end = text.includes('@') ? text.lastIndexOf('@') : text.length;
    const last = /\d+(?=\D*$)/.exec(text.slice(0, end));
    const digits = last?.[0].length ?? 0;
    const number = next.get(digits) ?? 10n ** BigInt(digits);
    next.set(digits, number + 1n);
    const at = last?.index ?? end;
    return `${text.slice(0, at)}${number}${text.slice(at + digits)}`;
  };
}
