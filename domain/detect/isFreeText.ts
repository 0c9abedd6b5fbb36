import { percent } from '../table/wording.ts';
import type { ColumnFacts, Question } from './columnFacts.ts';

const LEAST_DISTINCT = 20;
/** Words a cell, on average, from which a text is prose. */
const PROSE_WORDS = 6;
/** Prose that comes from a short list of sentences is a category. */
const PROSE_DISTINCT_SHARE = 0.1;
/** Names and titles: short texts that hardly repeat. */
const NAME_DISTINCT_SHARE = 0.5;

/** Free text: prose, or names and titles that hardly repeat. */
export const isFreeText: Question = (facts) => {
  if (facts.lengths === null) return undefined;
  const words = meanWords(facts);
  const distinct = `${percent(facts.distinctShare)} of the cells are distinct`;
  const isProse = words >= PROSE_WORDS && facts.distinctShare > PROSE_DISTINCT_SHARE && facts.distinct > 2;
  if (isProse) return { kind: 'text', confidence: 0.95, evidence: [`${words.toFixed(1)} words a cell`, distinct] };
  if (facts.distinct < LEAST_DISTINCT || facts.distinctShare <= NAME_DISTINCT_SHARE) return undefined;
  return {
    kind: 'text',
    confidence: facts.distinctShare > 0.8 ? 0.85 : 0.65,
    evidence: [`short texts, such as names or titles (${words.toFixed(1)} words a cell)`, distinct],
  };
};

function meanWords({ sample }: ColumnFacts): number {
  const words = sample.reduce((sum, cell) => sum + cell.trim().split(/\s+/).length, 0);
  return sample.length > 0 ? words / sample.length : 0;
}
