/** One text for one value: JSON with its keys in order and no blanks, numbers as ECMAScript writes them (RFC 8785). */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, own]) => `${JSON.stringify(key)}:${canonicalJson(own)}`).join(',')}}`;
}
