/** What a column is: questions in a fixed order, the first that is answered decides. */
import type { ColumnKind, ColumnProfile, Role } from '../profile/profile.ts';
import type { ColumnSummary } from '../profile/summariseColumn.ts';
import { counted, percent, quoted } from '../table/wording.ts';
import { type ColumnFacts, factsOf, type Question, type Verdict } from './columnFacts.ts';
import { isContinuous } from './isContinuous.ts';
import { isDate } from './isDate.ts';
import { isFreeText } from './isFreeText.ts';
import { isIdentifier } from './isIdentifier.ts';
import { isNumericCategory } from './isNumericCategory.ts';

const isEmpty: Question = ({ present }) =>
  present === 0 ? { kind: 'empty', confidence: 1, evidence: ['every cell is missing'] } : undefined;

/** What is left: texts that repeat. */
const isCategory = ({ distinct, distinctShare, present }: ColumnFacts): Verdict => ({
  kind: 'categorical',
  confidence: distinctShare < 0.1 || (distinct <= 20 && present >= 5 * distinct) ? 0.95 : 0.7,
  evidence: [`texts that repeat: ${counted(distinct, 'distinct text')} in ${counted(present, 'cell')}`],
});

const QUESTIONS: readonly Question[] = [isEmpty, isDate, isIdentifier, isNumericCategory, isContinuous, isFreeText];

const ROLE_OF: Readonly<Record<ColumnKind, Role>> = {
  continuous: 'continuous',
  categorical: 'categorical',
  text: 'text',
  datetime: 'ignore',
  identifier: 'ignore',
  empty: 'ignore',
};

/**
 * The column's profile from its summary and its cells in the row sample (null is missing). The role is suggested for the
 * column alone; `suggestRoles` looks at the table.
 */
export function detectColumn(summary: ColumnSummary, sample: readonly (string | null)[]): ColumnProfile {
  const facts = factsOf(summary, sample);
  const { kind, confidence, evidence } = verdictOn(facts);
  return {
    name: facts.name,
    kind,
    confidence,
    suggested_role: ROLE_OF[kind],
    evidence: [...evidence, ...missingCells(facts)],
    missing: facts.missing,
    missing_token: facts.missing_token,
    distinct: facts.distinct,
    distinct_exact: facts.distinct_exact,
    top_levels: kind === 'text' || kind === 'identifier' ? [] : facts.top_levels,
    numbers: facts.numbers,
    lengths: facts.lengths,
  };
}

function verdictOn(facts: ColumnFacts): Verdict {
  for (const ask of QUESTIONS) {
    const verdict = ask(facts);
    if (verdict) return verdict;
  }
  return isCategory(facts);
}

function missingCells({ missing, missing_token, rows, present }: ColumnFacts): string[] {
  if (missing === 0 || present === 0) return [];
  const written = missing_token.trim() === '' ? 'empty' : `written ${quoted(missing_token)}`;
  return [`${percent(missing / rows)} of the cells are missing, mostly ${written}`];
}
