import { percent, withCommas } from '../table/wording.ts';
import { type ColumnFacts, type Question, shareOf, type Verdict } from './columnFacts.ts';

/** Names that identifiers have: "id", "host_id", "PassengerId", "rownames". */
const NAMES =
  /(^|[\s_.-])(id|ids|uuid|guid|key|ssn|iban|isbn|ean|sku|rownames?|row_?id|index|unnamed: 0)$|[a-z](Id|ID)$/;
const LEAST_DISTINCT = 20;
/** Distinct texts from which a column named like an identifier is one though its cells repeat. */
const MANY_DISTINCT = 100;
/** A share of distinct texts above which cells tell rows apart. */
const MOSTLY_DISTINCT = 0.5;
const LONG_NUMBER = 8;
const LONGEST_CODE = 300;

/** Numbers or codes that tell rows, persons or things apart, and mean nothing else. */
export const isIdentifier: Question = (facts) => (facts.isNumber ? numberedIdentifier(facts) : codedIdentifier(facts));

function numberedIdentifier(facts: ColumnFacts): Verdict | undefined {
  const { numbers, lengths, present, distinct, isUnique } = facts;
  // Money, percent and grouped digits are quantities; postcodes name places.
  const isBare = facts.dress?.kind !== 'decorated' || facts.dress.width > 0;
  if (!numbers?.format.integer || !lengths || !isBare || (isPlaceName(facts.name) && !isUnique)) return undefined;
  const { min, max } = numbers.format;
  const isNamed = hasIdentifierName(facts.name);
  const isYear = min >= 1500 && max <= 2100;
  const share = `${percent(facts.distinctShare)} of them distinct`;
  if (facts.isRunning && isUnique && !isYear && present > 1 && (isNamed || present >= LEAST_DISTINCT)) {
    return identifier(0.98, `whole numbers that go up by one from row to row, from ${min} to ${max}`);
  }
  if (max > Number.MAX_SAFE_INTEGER && facts.distinctShare > MOSTLY_DISTINCT) {
    return identifier(0.95, `whole numbers of up to ${lengths.max} digits, ${share}: too long for a quantity`);
  }
  if (isNamed && ((isUnique && present > 1) || distinct > MANY_DISTINCT)) {
    return identifier(0.93, `whole numbers, ${share}, and a name that identifiers have`);
  }
  if (facts.leadingZeros > 0 && facts.distinctShare > MOSTLY_DISTINCT && distinct >= LEAST_DISTINCT) {
    return identifier(0.85, `numbers written with leading zeros, ${share}`);
  }
  const isFixedWidth = lengths.min === lengths.max && lengths.max >= LONG_NUMBER;
  if (isUnique && isFixedWidth && present >= LEAST_DISTINCT && min > 0) {
    return identifier(0.8, `whole numbers of ${lengths.max} digits each, no two alike`);
  }
  return undefined;
}

function codedIdentifier(facts: ColumnFacts): Verdict | undefined {
  const { distinct, present } = facts;
  const isNamed = hasIdentifierName(facts.name);
  if (isNamed && facts.isUnique && present > 1 && shareOf(facts, isOneWord) === 1) {
    return identifier(0.95, 'texts of one word, no two alike, and a name that identifiers have');
  }
  if (distinct < LEAST_DISTINCT || facts.distinctShare <= MOSTLY_DISTINCT) return undefined;
  const codes = shareOf(facts, isCode);
  if (codes < 0.8) return undefined;
  return identifier(
    facts.distinctShare > 0.95 ? 0.9 : 0.75,
    `codes of letters and digits, addresses or links, ${percent(facts.distinctShare)} of them distinct (${withCommas(distinct)})`,
  );
}

const identifier = (confidence: number, reason: string): Verdict => ({
  kind: 'identifier',
  confidence,
  evidence: [reason],
});

const hasIdentifierName = (name: string): boolean => NAMES.test(name) || NAMES.test(name.toLowerCase());

/** Columns of codes that name places or kinds, however many digits they have: "zip", "postcode", "fips". */
export const isPlaceName = (name: string): boolean =>
  /(^|[\s_.-])(zip|zip_?codes?|post_?codes?|postal_?codes?|postnr|postnummer|plz|cep|fips|naics|area_?code|country_?code|municipality_?code)$/i.test(
    name.replace(/([a-z])([A-Z])/g, '$1_$2'),
  );

const isOneWord = (cell: string): boolean => !/\s/.test(cell.trim());

/** "B57 B59", "A/5 21171", a UUID, an e-mail address, a link; not "$3.50", "12 %", "1,204" or "4 rooms near the park". */
function isCode(cell: string): boolean {
  const text = cell.trim();
  if (text.length > LONGEST_CODE) return false;
  if (/^(https?:\/\/|www\.)\S+$|^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return true;
  if (/[$€£¥%]|^\(?[+-]?\d{1,3}(,\d{3})+/.test(text)) return false;
  const digits = text.replace(/\D/g, '').length;
  return digits >= 0.25 * text.replace(/\s/g, '').length && text.split(/\s+/).length <= 4;
}
