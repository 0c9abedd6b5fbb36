/** What a column is: questions in a fixed order, the first that is answered decides. */

import type { ColumnSummary } from '../profile/columnSummary.ts';
import type { ColumnKind, ColumnProfile, Role } from '../profile/profile.ts';
import { counted, percent, quoted, withCommas } from '../table/wording.ts';
import { type ColumnFacts, factsOf, type Question, shown, type Verdict } from './columnFacts.ts';
import { hasMixedUnits } from './hasMixedUnits.ts';
import { isContinuous } from './isContinuous.ts';
import { isDate } from './isDate.ts';
import { isFreeText } from './isFreeText.ts';
import { isIdentifier } from './isIdentifier.ts';
import { isNumericCategory } from './isNumericCategory.ts';
import { isTruth } from './isTruth.ts';

const isEmpty: Question = ({ present }) =>
  present === 0 ? { kind: 'empty', confidence: 1, evidence: ['every cell is missing'] } : undefined;

/** What is left: texts that repeat. */
const isCategory = ({ distinct, distinctShare, present, top_levels }: ColumnFacts): Verdict => ({
  kind: 'categorical',
  confidence: distinctShare < 0.1 || (distinct <= 20 && present >= 5 * distinct) ? 0.95 : 0.7,
  evidence: [
    distinct === 1
      ? `one text in all ${counted(present, 'cell')}: ${quoted(top_levels[0]?.[0] ?? '')}`
      : `texts that repeat: ${counted(distinct, 'distinct text')} in ${counted(present, 'cell')}`,
  ],
});

const QUESTIONS: readonly Question[] = [
  isEmpty,
  isDate,
  hasMixedUnits,
  isIdentifier,
  isTruth,
  isNumericCategory,
  isContinuous,
  isFreeText,
];

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
  const { verdict, runnerUp } = verdictOn(facts);
  const { kind, confidence, evidence } = verdict;
  return {
    name: facts.name,
    kind,
    confidence,
    suggested_role: facts.isTime ? 'continuous' : ROLE_OF[kind],
    evidence: [...evidence, ...missingCells(facts), ...sentinelCells(facts)],
    runner_up: runnerUp,
    missing: facts.missing,
    missing_token: facts.missing_token,
    missing_tokens: facts.missing_tokens,
    distinct: facts.distinct,
    distinct_exact: facts.distinct_exact,
    top_levels: kind === 'text' || kind === 'identifier' ? [] : facts.top_levels,
    dress: facts.dress,
    numbers: facts.numbers,
    lengths: facts.lengths,
  };
}

/** The first verdict, and what comes next of another kind; its confidence is what the first one leaves, at most. */
function verdictOn(facts: ColumnFacts): { verdict: Verdict; runnerUp: ColumnProfile['runner_up'] } {
  const verdicts = [...QUESTIONS.flatMap((ask) => ask(facts) ?? []), isCategory(facts)];
  const verdict = verdicts[0]!;
  const next = verdicts.find(({ kind }) => kind !== verdict.kind);
  const isLikely = next && verdict.kind !== 'empty' && !(next.kind === 'categorical' && facts.distinct > MANY_LEVELS);
  if (!isLikely) return { verdict, runnerUp: null };
  const confidence = Math.round(100 * Math.min(next.confidence, 1 - verdict.confidence)) / 100;
  return { verdict, runnerUp: { kind: next.kind, confidence } };
}

/** Levels from which nothing would be a category. */
const MANY_LEVELS = 1000;

function missingCells({ missing, missing_token, rows, present, firstMissing }: ColumnFacts): string[] {
  if (missing === 0 || present === 0 || !firstMissing) return [];
  const written = missing_token.trim() === '' ? 'empty' : `written ${quoted(missing_token)}`;
  return [
    `${percent(missing / rows)} of the cells are missing, mostly ${written}, the first in row ${withCommas(firstMissing.row)}`,
  ];
}

/** Why a text that is not missing everywhere is so here. */
function sentinelCells({ sentinels }: ColumnFacts): string[] {
  return sentinels.map((sentinel) => {
    const reason = /\d/.test(sentinel.text)
      ? 'it repeats and lies far from all other numbers'
      : 'nearly all other cells are numbers or times';
    return `${shown(sentinel)} was taken for a missing cell in ${counted(sentinel.count, 'cell')}: ${reason}`;
  });
}
