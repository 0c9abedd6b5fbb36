/** The first question answered decides a column's kind. */

import type { CellFormat, ColumnKind, ColumnProfile, Role } from '../../contract/columns.ts';
import { counted, listed, percent, quoted, withCommas } from '../../words/wording.ts';
import type { ColumnSummary } from '../profile/lookAtCells.ts';
import {
  type ColumnFacts,
  example,
  factsOf,
  hasMixedUnits,
  isDate,
  isIdentifier,
  isPlaceName,
  type Question,
  shown,
  type Verdict,
} from './kinds.ts';
import { arePersonNames } from './personNames.ts';
import { placeKindOf } from './placeTexts.ts';

const MAX_CODES = 10;
/** In few rows every number looks like a code. */
const MIN_REPEATS = 5;

/** Numbers that name categories: two values, 1 … k, or leading zeros. */
const isNumericCategory: Question = (facts) => {
  if (!facts.isNumber || facts.numbers?.count !== facts.present) return undefined;
  const { distinct, present } = facts;
  if (facts.leadingZeros > 0) {
    return {
      kind: 'categorical',
      confidence: 0.8,
      evidence: [`numbers with leading zeros, which quantities do not have${example(facts)}`],
    };
  }
  if (isPlaceName(facts.name) && facts.numbers.format.integer) {
    const evidence = `whole numbers, and a column name typical of postal or area codes${example(facts)}`;
    return { kind: 'categorical', confidence: 0.8, evidence: [evidence] };
  }
  if (distinct > MAX_CODES || present < MIN_REPEATS * distinct) return undefined;
  const values = listed(facts.top_levels.map(([level]) => level).sort((a, b) => Number(a) - Number(b)));
  if (distinct === 1) return { kind: 'categorical', confidence: 0.9, evidence: [`every cell is ${values}`] };
  if (distinct === 2) return { kind: 'categorical', confidence: 0.9, evidence: [`only two numbers: ${values}`] };
  if (!isCodeSeries(facts)) return undefined;
  const evidence = `only ${distinct} whole numbers (${values}) in ${withCommas(present)} cells, like codes`;
  return { kind: 'categorical', confidence: 0.75, evidence: [evidence] };
};

/** 1 … k without gaps; or 0 … k unless frequencies fall off like those of counts. */
function isCodeSeries({ numbers, distinct, top_levels }: ColumnFacts): boolean {
  if (!numbers?.format.integer) return false;
  const { min, max } = numbers.format;
  if (max - min + 1 !== distinct) return false;
  return min === 1 || (min === 0 && !fallsOff(top_levels));
}

/** Whether frequencies only fall, up to chance, after 0 or 1. */
export function fallsOff(levels: readonly (readonly [string, number])[]): boolean {
  const counts = levels.map(([text, count]) => ({ value: Number(text), count })).sort((a, b) => a.value - b.value);
  const mode = Number(levels[0]?.[0]);
  if (mode > 1) return false;
  return counts.every(({ value, count }, index) => {
    const before = counts[index - 1];
    return value <= mode || !before || count <= before.count + 3 * Math.sqrt(before.count + 1);
  });
}

const FEW = 10;

const isContinuous: Question = (facts) => {
  if (!facts.isNumber || !facts.numbers) return undefined;
  const { format } = facts.numbers;
  const written = format.integer ? 'whole numbers' : `numbers with up to ${counted(format.decimals, 'decimal')}`;
  const strays = facts.present - facts.numbers.count;
  return {
    kind: 'continuous',
    confidence: strays > 0 ? 0.8 : facts.distinct <= FEW ? 0.7 : 0.95,
    evidence: [
      `${written} from ${format.min} to ${format.max}${example(facts)}`,
      ...formatOf(facts.format),
      ...strayCells(facts, strays),
    ],
  };
};

function formatOf(format: CellFormat | null): string[] {
  if (format?.kind !== 'decorated') return [];
  const { prefix, suffix, thousands, decimal, negative, percent, width, plus } = format;
  const parts = [
    ...(prefix === '' ? [] : [`${quoted(prefix)} before them`]),
    ...(suffix === '' ? [] : [`${quoted(suffix)} after them${percent ? ', read as percent' : ''}`]),
    ...(thousands === '' ? [] : [`${quoted(thousands)} between groups of three digits`]),
    ...(decimal === ',' && format.format.decimals > 0 ? ['a decimal comma'] : []),
    ...(width === 0 ? [] : [`${width} digits each, with leading zeros`]),
    ...(negative === 'parentheses' ? ['parentheses around negative numbers'] : []),
    ...(negative === 'trailing' ? ['a minus sign after negative numbers'] : []),
    ...(plus ? ['a plus sign before positive numbers'] : []),
  ];
  return parts.length > 0 ? [`written with ${listed(parts)}`] : [];
}

function strayCells(facts: ColumnFacts, count: number): string[] {
  if (count === 0) return [];
  return [`${withCommas(count)} of the cells are not numbers, such as ${listed(facts.strays.slice(0, 3).map(shown))}`];
}

const MIN_DISTINCT = 20;
const PROSE_WORDS = 6;
/** Prose from a short list of sentences is a category. */
const PROSE_DISTINCT_SHARE = 0.1;
const NAME_DISTINCT_SHARE = 0.5;

/** Prose, or names and titles that hardly repeat. */
const isFreeText: Question = (facts) => {
  if (facts.lengths === null || facts.isNumber || facts.isTime) return undefined;
  const words = meanWords(facts);
  const distinct = `${percent(facts.distinctShare)} of the cells are distinct`;
  const isProse = words >= PROSE_WORDS && facts.distinctShare > PROSE_DISTINCT_SHARE && facts.distinct > 2;
  if (isProse) return { kind: 'text', confidence: 0.95, evidence: [`${words.toFixed(1)} words per cell`, distinct] };
  if (facts.distinct < MIN_DISTINCT || facts.distinctShare <= NAME_DISTINCT_SHARE) return undefined;
  return {
    kind: 'text',
    confidence: facts.distinctShare > 0.8 ? 0.85 : 0.65,
    evidence: [`${shortTexts(facts)} (${words.toFixed(1)} words per cell)`, distinct],
  };
};

const shortTexts = ({ name, sample }: ColumnFacts): string => SHORT_TEXTS[textFormOf(name, sample) ?? 'others'];

const SHORT_TEXTS = {
  person_names: 'names of persons',
  address: 'addresses',
  town: 'names of towns',
  firm: 'names of firms',
  others: 'short texts, such as names or titles',
} as const;

const textFormOf = (name: string, sample: readonly string[]) =>
  arePersonNames(name, sample) ? ('person_names' as const) : placeKindOf(name, sample);

function meanWords({ sample }: ColumnFacts): number {
  const words = sample.reduce((sum, cell) => sum + cell.trim().split(/\s+/).length, 0);
  return sample.length > 0 ? words / sample.length : 0;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const YES = words(
  'yes y true t on 1 1.0 ja j oui si sí sim da да ✓ ✔ present positive active enabled wahr vrai verdadero kyllä tak',
);
const NO = words(
  'no n false f off 0 0.0 nein nei nej nee non não nao ne нет ✗ ✘ absent negative inactive disabled falsch faux falso ei nie',
);
const MAX_WAYS = 8;

const truthOf = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase();
  return YES.has(word) ? true : NO.has(word) ? false : undefined;
};

const isTruth: Question = ({ distinct, top_levels }) => {
  if (distinct < 2 || distinct > MAX_WAYS || top_levels.length !== distinct) return undefined;
  const truths = top_levels.map(([text]) => truthOf(text));
  if (truths.includes(undefined) || !truths.includes(true) || !truths.includes(false)) return undefined;
  const written = listed(top_levels.map(([text]) => quoted(text)));
  const ways = distinct > 2 ? `, in ${distinct} spellings` : '';
  return { kind: 'categorical', confidence: 0.97, evidence: [`yes or no, written as ${written}${ways}`] };
};

const isEmpty: Question = ({ present }) =>
  present === 0 ? { kind: 'empty', confidence: 1, evidence: ['every cell is missing'] } : undefined;

const isCategory = ({ distinct, distinctShare, present, top_levels }: ColumnFacts): Verdict => ({
  kind: 'categorical',
  confidence: distinctShare < 0.1 || (distinct <= 20 && present >= 5 * distinct) ? 0.95 : 0.7,
  evidence: [
    distinct === 1
      ? `the same text in all ${counted(present, 'cell')}: ${quoted(top_levels[0]?.[0] ?? '')}`
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
  /** Identifiers become new keys in any role. */
  identifier: 'categorical',
  empty: 'ignore',
};

/**
 * Profiles a column alone; `suggestRoles` considers the table.
 * @param sample Cells; null is missing.
 * @param found A verdict that other columns support.
 */
export function detectColumn(
  summary: ColumnSummary,
  sample: readonly (string | null)[],
  found?: Verdict,
): ColumnProfile {
  const facts = factsOf(summary, sample);
  const { verdict, runnerUp } = verdictOn(facts, found);
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
    format: facts.format,
    numbers: facts.numbers,
    lengths: facts.lengths,
    ...(kind === 'identifier' ? { key: keyOf(facts) } : {}),
    ...(kind === 'text' && { text_form: textFormOf(facts.name, facts.sample) }),
  };
}

const keyOf = ({ isUnique, distinct, present }: ColumnFacts): ColumnProfile['key'] => ({
  kind: isUnique ? 'unique' : 'repeated',
  keys: isUnique ? present : distinct,
  rows: present,
});

/** The runner-up's confidence is limited by the first verdict's. */
function verdictOn(facts: ColumnFacts, found?: Verdict): { verdict: Verdict; runnerUp: ColumnProfile['runner_up'] } {
  const verdicts = [...(found ? [found] : []), ...QUESTIONS.flatMap((ask) => ask(facts) ?? []), isCategory(facts)];
  const verdict = verdicts[0]!;
  const next = verdicts.find(({ kind }) => kind !== verdict.kind);
  const isLikely = next && verdict.kind !== 'empty' && !(next.kind === 'categorical' && facts.distinct > MANY_LEVELS);
  if (!isLikely) return { verdict, runnerUp: null };
  const confidence = Math.round(100 * Math.min(next.confidence, 1 - verdict.confidence)) / 100;
  return { verdict, runnerUp: { kind: next.kind, confidence } };
}

const MANY_LEVELS = 1000;

function missingCells({ missing, missing_token, rows, present, firstMissing }: ColumnFacts): string[] {
  if (missing === 0 || present === 0 || !firstMissing) return [];
  const written = missing_token.trim() === '' ? 'empty' : `written ${quoted(missing_token)}`;
  return [
    `${percent(missing / rows)} of the cells are missing, mostly ${written}, the first in row ${withCommas(firstMissing.row)}`,
  ];
}

function sentinelCells({ sentinels }: ColumnFacts): string[] {
  return sentinels.map((sentinel) => {
    const reason = /\d/.test(sentinel.text)
      ? 'it repeats and is far from all other numbers'
      : 'nearly all other cells are numbers or times';
    return `${shown(sentinel)} counts as missing in ${counted(sentinel.count, 'cell')}: ${reason}`;
  });
}
