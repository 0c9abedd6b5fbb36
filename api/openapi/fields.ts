import { meaningOf } from './meanings.ts';
import type { JsonSchema } from './openApi.ts';

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

const propertiesOf = ({ properties }: JsonSchema): [name: string, schema: JsonSchema][] =>
  isSchema(properties)
    ? Object.entries(properties).flatMap(([name, own]) => (isSchema(own) ? [[name, own] as [string, JsonSchema]] : []))
    : [];

const formsOf = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...schemasIn(schema.anyOf).flatMap(formsOf),
  ...schemasIn(schema.oneOf).flatMap(formsOf),
  ...schemasIn(schema.allOf).flatMap(formsOf),
];

export function withMeanings(schema: JsonSchema, path: readonly string[] = []): JsonSchema {
  const changed: JsonSchema = { ...schema };
  if (isSchema(schema.properties)) {
    changed.properties = Object.fromEntries(
      propertiesOf(schema).map(([name, own]) => {
        const at = [...path, name];
        const meaning = own.description ?? meaningOf(at);
        const inner = withMeanings(own, at);
        return [name, meaning === undefined ? inner : { ...inner, description: meaning }];
      }),
    );
  }
  for (const word of ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const) {
    if (Array.isArray(schema[word])) changed[word] = schemasIn(schema[word]).map((own) => withMeanings(own, path));
  }
  for (const word of ['items', 'additionalProperties'] as const) {
    const own = schema[word];
    if (isSchema(own)) changed[word] = withMeanings(own, path);
  }
  return changed;
}

export interface FieldLine {
  /** Such as `conditions[].rows`. */
  path: string;
  type: string;
  required: boolean;
  bounds: string;
  meaning: string;
}

/** Lists nested fields after their parents; alternatives share a line. */
export function fieldLines(schema: JsonSchema): FieldLine[] {
  const lines = new Map<string, FieldLine>();
  collect(schema, '', lines);
  return [...lines.values()];
}

function collect(schema: JsonSchema, prefix: string, lines: Map<string, FieldLine>): void {
  for (const form of formsOf(schema)) {
    const required = Array.isArray(form.required) ? form.required : [];
    for (const [name, own] of propertiesOf(form)) {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      const line = lineOf(path, own, required.includes(name));
      const known = lines.get(path);
      lines.set(path, known ? merged(known, line) : line);
      collect(own, path, lines);
    }
    if (isSchema(form.items)) collect(form.items, `${prefix}[]`, lines);
    if (isSchema(form.additionalProperties)) collect(form.additionalProperties, `${prefix}.*`, lines);
  }
}

function lineOf(path: string, schema: JsonSchema, required: boolean): FieldLine {
  const forms = formsOf(schema);
  const types = [...new Set(forms.flatMap(typesOf))];
  const meaning = forms.map(({ description }) => description).find((text) => typeof text === 'string');
  return {
    path,
    required,
    type: types.join(' or ') || 'any',
    bounds: [...new Set(forms.map(boundsOf).filter((text) => text !== ''))].join('; '),
    meaning: typeof meaning === 'string' ? meaning : '',
  };
}

/** Required only if all alternatives require it. */
function merged(one: FieldLine, other: FieldLine): FieldLine {
  const either = (a: string, b: string, by: string) =>
    [...new Set([...a.split(by), ...b.split(by)].filter((text) => text !== ''))].join(by);
  return {
    ...one,
    type: either(one.type, other.type, ' or '),
    bounds: either(one.bounds, other.bounds, ', '),
    required: one.required && other.required,
  };
}

function typesOf(schema: JsonSchema): string[] {
  if (typeof schema.const === 'string' || Array.isArray(schema.enum)) return ['string'];
  if (Array.isArray(schema.type)) return schema.type.map(String);
  if (typeof schema.type !== 'string') return [];
  if (schema.type !== 'array') return [schema.type];
  const inner = isSchema(schema.items) ? [...new Set(formsOf(schema.items).flatMap(typesOf))].join(' or ') : '';
  return [inner === '' ? 'array' : `array of ${inner}`];
}

function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, minItems, maxItems, maxLength } = schema;
  const known = [
    ...(typeof schema.const === 'string' ? [schema.const] : []),
    ...(Array.isArray(schema.enum) ? [schema.enum.map(String).join(', ')] : []),
    ...range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    ...range(minItems, maxItems, ' items'),
    ...(typeof maxLength === 'number' ? [`at most ${maxLength} characters`] : []),
  ];
  return known.join('; ');
}

/** Unbounded integers have the largest safe ones as bounds. */
function range(low: unknown, high: unknown, of: string): string[] {
  const isBound = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (isBound(low) && isBound(high)) return [`${low} to ${high}${of}`];
  if (isBound(low)) return [`at least ${low}${of}`];
  return isBound(high) ? [`at most ${high}${of}`] : [];
}
