/** Suggests the number that people most likely want to predict. */
import type { ColumnProfile, Relation, SuggestedTarget } from '../../contract/columns.ts';
import { mean } from '../../numerics/moments.ts';
import { takeNumbers } from '../../numerics/rows.ts';
import { fitBoostedTrees, predict } from '../../numerics/trees/boostedTrees.ts';
import { takeFeatures } from '../../numerics/trees/features.ts';
import { tokensOf } from './nameTokens.ts';
import { ranksOf, type SampledFeature } from './sampleFeatures.ts';

const MAX_MISSING = 0.2;
/** Fewer integers are small counts or codes. */
const FEW_VALUES = 12;
const MAX_EXPLAINED = 6;
/** Minimum R² of a candidate without a telling name. */
const MIN_EXPLAINED = 0.03;

interface Candidate {
  column: ColumnProfile;
  weight: number;
  isNamed: boolean;
  isLast: boolean;
}

/**
 * @returns null if no column is sensible.
 * @param features Columns of the row sample.
 */
export function suggestTarget(
  columns: readonly ColumnProfile[],
  rows: number,
  features: readonly SampledFeature[],
  relations: readonly Relation[],
): SuggestedTarget | null {
  const scored = candidatesOf(columns, rows, relations)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_EXPLAINED)
    .map((candidate) => ({ ...candidate, explained: explainedShare(candidate.column, features, relations) }))
    .filter(({ weight, explained }) =>
      explained === undefined ? weight > 0 : weight >= 1.5 || explained >= MIN_EXPLAINED,
    );
  const total = ({ weight, explained = 0 }: (typeof scored)[number]) => weight + explainedWeight(explained);
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (most, each) => (most && total(most) >= total(each) ? most : each),
    undefined,
  );
  return best ? { column: best.column.name, reason: reasonOf(best) } : null;
}

/** A near-perfectly predicted column probably repeats another. */
const explainedWeight = (share: number): number => 1.5 * (share <= 0.9 ? share : 0.9 - 6 * (share - 0.9));

function candidatesOf(columns: readonly ColumnProfile[], rows: number, relations: readonly Relation[]): Candidate[] {
  const numbers = columns.filter((column) => column.kind === 'continuous' && column.suggested_role === 'continuous');
  const names = new Set(numbers.map(({ name }) => name.toLowerCase()));
  const derived = new Set(relations.filter(isSaid).map(({ column }) => column));
  const first = columns.find(({ kind }) => kind !== 'identifier');
  return numbers
    .filter(
      (column) =>
        column.missing <= MAX_MISSING * rows &&
        column.distinct > 1 &&
        !derived.has(column.name) &&
        !isIndex(column, names),
    )
    .map((column) => {
      const isLast = column === numbers.at(-1);
      const named = nameWeight(column.name);
      const { integer } = column.format?.format ?? { integer: false };
      const place = (isLast ? 0.6 : 0) + (column === columns.at(-1) ? 0.3 : 0) + (column === first ? 0.3 : 0);
      const kind = integer && column.distinct <= FEW_VALUES ? -1 : integer ? 0 : 0.2;
      return { column, weight: named + place + kind, isNamed: named > 0, isLast };
    });
}

const TARGET = /^(target|label|outcome|response|dependent|y|ziel|zielgröße|cible|objetivo|mål)$/;
/** In a few languages. */
const PREDICTED =
  /^(price|prices|cost|costs|fare|income|salary|wage|wages|earnings|revenue|sales|turnover|profit|margin|spend|spending|expenditure|charge|charges|premium|amount|payment|rent|value|score|rating|points|grade|demand|delay|count|cnt|yield|mpg|gallon|consumption|usage|preis|kosten|einkommen|gehalt|lohn|umsatz|betrag|miete|prix|coût|revenu|salaire|ventes|montant|loyer|precio|costo|coste|ingreso|ingresos|salario|ventas|importe|pris|kostnad|inntekt|lønn|beløp|salg|omsetning|prezzo|reddito|preço|renda|prijs|inkomen)$/;
const COMPOUND = /(preis|kosten|einkommen|umsatz|pris|kost|kostnad|inntekt|beløp|lønn)$/;
const LIKELY =
  /^(total|gross|tip|rate|weight|mass|duration|visits|votes|views|deaths|quantity|quality|strength|mileage|usd|eur|gbp|nok|sek|dkk|chf)$/;

const isCompound = (token: string): boolean => token.length > 5 && COMPOUND.test(token);

function nameWeight(name: string): number {
  if (TARGET.test(name.trim().toLowerCase())) return 3;
  const tokens = tokensOf(name);
  const last = tokens.at(-1) ?? '';
  if (TARGET.test(last) && last.length > 1) return 3;
  if (PREDICTED.test(last) || isCompound(last)) return 2;
  if (tokens.some((token) => PREDICTED.test(token))) return 1.5;
  return tokens.some((token) => LIKELY.test(token)) ? 0.8 : 0;
}

const CALENDAR =
  /^(year|years|yr|jahr|année|annee|año|ano|anno|år|month|monat|mois|mes|måned|day|tag|jour|dia|dag|weekday|hour|stunde|heure|hora|time|minute|week|woche|quarter|vintage|index|idx|rank|nr|no|number)$/;
const COORDINATE = /^(lat|lng|lon|long|latitude|longitude|coordinate|easting|northing|breitengrad|längengrad)$/;

/** Years, date parts, coordinates and running numbers are not targets. */
function isIndex({ name, numbers }: ColumnProfile, names: ReadonlySet<string>): boolean {
  const words = tokensOf(name);
  // "hours per week" are hours.
  const tokens = words.includes('per') ? words.slice(0, words.indexOf('per')) : words;
  const last = tokens.at(-1) ?? '';
  const isAxis = /^[xyz]$/i.test(name) && ['x', 'y', 'z'].every((axis) => names.has(axis));
  const { min = 0, max = 0, integer = false } = numbers?.format ?? {};
  return (
    CALENDAR.test(last) ||
    tokens.some((token) => COORDINATE.test(token)) ||
    isAxis ||
    (integer && min >= 1500 && max <= 2100)
  );
}

const MIN_ROWS = 60;
const TREES = { iterations: 12, learningRate: 0.3, maxLeaves: 8, minLeafRows: 10, maxBins: 32 };

/** Out-of-sample R² of trees on ranks; undefined for too few rows. */
function explainedShare(
  column: ColumnProfile,
  features: readonly SampledFeature[],
  relations: readonly Relation[],
): number | undefined {
  const own = features.find((each) => each.column.name === column.name)?.feature;
  if (own?.kind !== 'numeric') return undefined;
  const ranks = ranksOf(own.values);
  const rows = [...ranks.keys()].filter((row) => !Number.isNaN(ranks[row]!));
  const others = features.filter(
    (other) => other.column.name !== column.name && !isSame(other.column.name, column.name, relations),
  );
  if (rows.length < MIN_ROWS) return undefined;
  if (others.length === 0) return 0;
  const [fitted, held] = [0, 1].map((half) => Int32Array.from(rows.filter((_, at) => at % 2 === half)));
  const table = { rows: ranks.length, features: others.map(({ feature }) => feature) };
  const trees = fitBoostedTrees(takeFeatures(table, fitted!), takeNumbers(ranks, fitted!), TREES);
  return Math.max(0, rSquared(takeNumbers(ranks, held!), predict(trees, takeFeatures(table, held!))));
}

const isSame = (a: string, b: string, relations: readonly Relation[]): boolean =>
  relations.some(
    (relation) =>
      isSaid(relation) &&
      ((relation.column === a && relation.of === b) || (relation.column === b && relation.of === a)),
  );

const isSaid = ({ kind }: Relation): boolean => kind === 'copy' || kind === 'function' || kind === 'labels';

function rSquared(real: Float64Array, predicted: Float64Array): number {
  const centre = mean(real);
  const total = real.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  const left = real.reduce((sum, value, i) => sum + (value - predicted[i]!) ** 2, 0);
  return total > 0 ? 1 - left / total : 0;
}

function reasonOf({ isNamed, isLast, explained }: Candidate & { explained: number | undefined }): string {
  const tenths = Math.round(10 * (explained ?? 0));
  const grounds = [...(isNamed ? ['name'] : []), ...(isLast ? ['position'] : [])];
  const share = tenths > 0 ? `about ${10 * tenths} %` : 'a little';
  const explains = `the other columns explain ${share} of its variation`;
  if (grounds.length === 0) return `picked because ${explains}`;
  return `picked because of its ${grounds.join(' and ')}${tenths > 0 ? `; ${explains}` : ''}`;
}
