import { listed, quoted } from '../table/wording.ts';
import type { Question } from './columnFacts.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const YES = words(
  'yes y true t on 1 1.0 ja j oui si sí sim da да ✓ ✔ present positive active enabled wahr vrai verdadero kyllä tak',
);
const NO = words(
  'no n false f off 0 0.0 nein nei nej nee non não nao ne нет ✗ ✘ absent negative inactive disabled falsch faux falso ei nie',
);
/** Ways in which one column may write them. */
const MOST_WAYS = 8;

/** The word that tells yes or no, whatever its case. */
export const truthOf = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase();
  return YES.has(word) ? true : NO.has(word) ? false : undefined;
};

/** Truth values, in whatever words: two answers, or more ways to write them. */
export const isTruth: Question = ({ distinct, top_levels }) => {
  if (distinct < 2 || distinct > MOST_WAYS || top_levels.length !== distinct) return undefined;
  const truths = top_levels.map(([text]) => truthOf(text));
  if (truths.includes(undefined) || !truths.includes(true) || !truths.includes(false)) return undefined;
  const written = listed(top_levels.map(([text]) => quoted(text)));
  const ways = distinct > 2 ? `, in ${distinct} ways of writing` : '';
  return { kind: 'categorical', confidence: 0.97, evidence: [`yes or no, written ${written}${ways}`] };
};
