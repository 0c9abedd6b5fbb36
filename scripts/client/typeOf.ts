/** A JSON schema, as zod writes it, in TypeScript. */

export interface JsonSchema {
  type?: string | readonly string[] | undefined;
  description?: string | undefined;
  const?: unknown;
  $ref?: string | undefined;
  enum?: readonly unknown[] | undefined;
  anyOf?: readonly JsonSchema[] | undefined;
  oneOf?: readonly JsonSchema[] | undefined;
  allOf?: readonly JsonSchema[] | undefined;
  items?: JsonSchema | undefined;
  prefixItems?: readonly JsonSchema[] | undefined;
  properties?: Readonly<Record<string, JsonSchema>> | undefined;
  required?: readonly string[] | undefined;
  additionalProperties?: boolean | JsonSchema | undefined;
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** What says nothing of the type. */
const ANNOTATIONS = ['title', 'description', 'examples', 'default'];

/** Throws where the schema has a kind that is not known here, rather than say less than it does. */
export function typeOf(schema: JsonSchema, indent = ''): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  // A schema that refers to itself: any value of JSON.
  if (schema.$ref !== undefined) return 'unknown';
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((choice) => typeOf(choice, indent)));
  if (schema.allOf) return schema.allOf.map((part) => typeOf(part, indent)).join(' & ');
  if (schema.prefixItems) return `[${schema.prefixItems.map((item) => typeOf(item, indent)).join(', ')}]`;
  if (typeof schema.type === 'object') return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  if (schema.type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`;
  if (schema.type === 'object') return objectOf(schema, indent);
  if (Object.keys(schema).every((key) => ANNOTATIONS.includes(key))) return 'unknown';
  const plain = schema.type === undefined ? undefined : PLAIN[schema.type];
  if (plain === undefined) throw new Error(`no type is known for ${JSON.stringify(schema).slice(0, 200)}`);
  return plain;
}

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema, indent: string): string {
  const deeper = `${indent}  `;
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const mark = required.includes(name) ? '' : '?';
    const said =
      field.description === undefined ? [] : [`${deeper}/** ${field.description.replaceAll('*/', '* /')} */`];
    const type = `${typeOf(field, deeper)}${mark === '' ? '' : ' | undefined'}`;
    return [...said, `${deeper}${JSON.stringify(name)}${mark}: ${type};`];
  });
  if (fields.length === 0) {
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'}>`;
  }
  return `{\n${fields.join('\n')}\n${indent}}`;
}

const union = (types: readonly string[]): string => (types.length === 1 ? (types[0] ?? '') : `(${types.join(' | ')})`);
