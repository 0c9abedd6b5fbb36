import { z } from 'zod';
import { withMeanings } from '../api/openapi/fields.ts';
import type { JsonSchema } from '../api/openapi/openApi.ts';
import { jobMetricsSchema } from '../packages/contract/metrics.ts';
import { FIGURE_SCALES, type FigureScale } from '../packages/words/figureScales.ts';

const GROUPS = ['numeric', 'fidelity', 'utility', 'privacy', 'text'] as const;

/** Entity measures, which the schema does not name. */
const OF_ENTITIES = ['fidelity.coherence', 'fidelity.sequence_lengths', 'privacy.sequence_copies'];

export interface ListedFigure {
  /** "privacy.membership.auc" */
  path: string;
  /** From the contract's schema, else from the API's meanings. */
  meaning: string;
  scale: FigureScale | undefined;
  isDescribed: boolean;
}

export function listFigures(schema: z.ZodType = jobMetricsSchema): ListedFigure[] {
  const found: ListedFigure[] = [];
  const own: JsonSchema = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  const named = withMeanings(own, ['metrics']);
  for (const group of GROUPS) {
    const described = propertyOf(own, group);
    const explained = propertyOf(named, group);
    if (described && explained) collect(described, explained, group, found);
  }
  const known = new Set(found.map(({ path }) => path));
  const added = OF_ENTITIES.filter((path) => !known.has(path));
  const all = [...found, ...added.map((path): ListedFigure => figureOf(path, meaningOf(path), undefined))];
  return all.toSorted((a, b) => groupOf(a.path) - groupOf(b.path));
}

const groupOf = (path: string): number => GROUPS.findIndex((group) => path.startsWith(`${group}.`));

function figureOf(path: string, meaning: string, description: string | undefined): ListedFigure {
  const isDescribed = description !== undefined;
  return { path, meaning, scale: isDescribed ? undefined : FIGURE_SCALES[path], isDescribed };
}

function meaningOf(path: string): string {
  const name = path.split('.').at(-1) ?? path;
  const explained = withMeanings({ properties: { [name]: { type: 'number' } } }, ['metrics', path.split('.')[0] ?? '']);
  return descriptionOf(propertyOf(explained, name)) ?? '';
}

/** @param own the contract's schema. @param named the same with the API's meanings. */
function collect(own: JsonSchema, named: JsonSchema, path: string, found: ListedFigure[]): void {
  for (const [form, other] of formsOf(own, named)) {
    if (isSchema(form.items) && isSchema(other.items)) collect(form.items, other.items, path, found);
    if (!isSchema(form.properties)) continue;
    for (const name of Object.keys(form.properties)) {
      const [inner, explained] = [propertyOf(form, name), propertyOf(other, name)];
      if (!inner || !explained) continue;
      const at = `${path}.${name}`;
      if (isFigure(inner)) found.push(figureOf(at, descriptionOf(explained) ?? '', descriptionOf(inner)));
      else collect(inner, explained, at, found);
    }
  }
}

/** Accepts figures with a verdict, and bare numbers but not counts. */
function isFigure(schema: JsonSchema): boolean {
  const forms = formsOf(schema, schema).map(([form]) => form);
  return forms.some(
    ({ type, properties }) => [type].flat().includes('number') || (isSchema(properties) && 'verdict' in properties),
  );
}

function formsOf(own: JsonSchema, named: JsonSchema): [own: JsonSchema, named: JsonSchema][] {
  const inner = (['anyOf', 'oneOf', 'allOf'] as const).flatMap((word): [JsonSchema, JsonSchema][] => {
    const [all, others] = [schemasIn(own[word]), schemasIn(named[word])];
    return all.flatMap((form, at) => formsOf(form, others[at] ?? form));
  });
  return [[own, named], ...inner];
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  const found = isSchema(properties) ? properties[name] : undefined;
  return isSchema(found) ? found : undefined;
}

const descriptionOf = (schema: JsonSchema | undefined): string | undefined =>
  typeof schema?.description === 'string' ? schema.description : undefined;

export const MARKS = { start: '<!-- figures: npm run docs:figures -->', end: '<!-- end of figures -->' } as const;

const HEAD = ['figure', 'meaning', 'scale', 'rows', 'leaves out'];

const lineOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

export const figureTable = (figures: readonly ListedFigure[] = listFigures()): string =>
  [
    lineOf(HEAD),
    lineOf(HEAD.map(() => '---')),
    ...figures.map(({ path, meaning, scale }) =>
      lineOf([`\`${path}\``, meaning, scale?.scale ?? '', scale?.rows ?? '', scale?.leavesOut ?? '']),
    ),
  ].join('\n');

/** Throws Error if the page has no marks. */
export function withFigures(page: string): string {
  const [start, end] = [page.indexOf(MARKS.start), page.indexOf(MARKS.end)];
  if (start < 0 || end < start) throw new Error(`The page has no ${MARKS.start} … ${MARKS.end}.`);
  return `${page.slice(0, start)}${MARKS.start}\n\n${figureTable()}\n\n${page.slice(end)}`;
}
