/** Whole code points as symbols: 0 ends a text, 1, 2, … are the alphabet in order of first appearance. */
import type { Symbols } from './characterTrie.ts';

export interface Alphabet {
  /** Code points; character k is symbol k + 1. */
  characters: string[];
  encode(text: string): Symbols;
}

/** The alphabet of some texts. Halves of surrogate pairs that stand alone are left out. */
export function learnAlphabet(texts: Iterable<string>): Alphabet {
  const seen = new Set<string>();
  for (const text of texts) for (const character of text) if (character.isWellFormed()) seen.add(character);
  return alphabetOf([...seen]);
}

export function alphabetOf(characters: string[]): Alphabet {
  const symbols = new Map(characters.map((character, k) => [character, k + 1]));
  const encode = (text: string): Symbols => {
    const out: number[] = [];
    for (const character of text) {
      const symbol = symbols.get(character);
      if (symbol !== undefined) out.push(symbol);
    }
    return Int32Array.from(out);
  };
  return { characters, encode };
}
