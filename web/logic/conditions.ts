/** Conditions that rows are made under, typed as JSON. What they must be like, the service checks. */
import type { GenerateRequestBody } from '../../domain/schema/generateRequest.ts';

type Conditions = NonNullable<GenerateRequestBody['conditions']>;

export const CONDITIONS_EXAMPLE =
  '[{"column": "age", "between": [18, null]}, {"column": "city", "equals": "Oslo", "rows": 500}]';

const isList = (value: unknown): value is Conditions =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'object' && entry !== null && 'column' in entry);

/** The list, empty where nothing is typed; undefined where the text is none. */
export function readConditions(typed: string): Conditions | undefined {
  if (typed.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(typed);
    return isList(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
