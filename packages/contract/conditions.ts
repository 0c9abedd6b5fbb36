import { z } from 'zod';

const MAX_CONDITIONS = 100;
const MAX_VALUES = 1000;

const CELL = 'must be a text or a number as in the column, or null';
const cell = z.union([z.string(), z.number(), z.null()], { error: CELL });
const between = z
  .tuple([cell, cell], { error: 'must be a list of two, [low, high]' })
  .refine(([low, high]) => low !== null || high !== null, { error: 'must have at least one bound that is not null' });

/** `equals: null` alone selects missing cells. */
const choosesOne = (given: { equals?: unknown; in?: unknown; between?: unknown }): boolean => {
  const lists = [given.in, given.between].filter((value) => value !== undefined && value !== null).length;
  return lists === 0 ? given.equals !== undefined : lists === 1 && (given.equals ?? null) === null;
};

const conditionSchema = z
  .object(
    {
      column: z.string({ error: 'must be a column name (a string)' }).meta({
        description: 'The target, or a continuous or categorical column of the request.',
      }),
      equals: cell.optional().meta({ description: 'One value; for a category, its text exactly as in the file.' }),
      in: z
        .array(cell, { error: 'must be a list of values' })
        .min(1, { error: 'must have at least one value' })
        .max(MAX_VALUES, { error: `must have at most ${MAX_VALUES} values` })
        .nullish()
        .meta({ description: 'A list of values, of which each row has one; null allows missing cells.' }),
      between: between.nullish().meta({
        description:
          '[low, high], both inclusive: numbers, or times as the column writes them; null leaves a side open.',
      }),
      rows: z
        .int({ error: 'must be a whole number, 1 or more' })
        .min(1, { error: 'must be a whole number, 1 or more' })
        .nullish()
        .meta({ description: 'How many rows meet the condition; all by default.' }),
    },
    { error: 'must be an object such as {"column": "sex", "equals": "female"}' },
  )
  .refine(choosesOne, { error: 'must have exactly one of equals, in and between' })
  .transform(({ column, equals, in: among, between: range, rows }): Condition => {
    const common = { column, rows: rows ?? null };
    if (among) return { ...common, in: among };
    return range ? { ...common, between: range } : { ...common, equals: equals ?? null };
  });

type Cell = string | number | null;

/** Has exactly one of `equals`, `in` and `between`. */
export interface Condition {
  column: string;
  equals?: Cell;
  in?: Cell[];
  between?: [Cell, Cell];
  /** Rows that must satisfy the condition; null for all. */
  rows: number | null;
}

export const conditionsSchema = z
  .array(conditionSchema, { error: 'must be a list of conditions' })
  .max(MAX_CONDITIONS, { error: `must have at most ${MAX_CONDITIONS} conditions` })
  .nullish()
  .transform((value) => value ?? [])
  .meta({
    description:
      'Conditions that rows meet exactly. A condition without rows applies to every row. A condition with rows applies to that many rows, which also meet all conditions without rows; the other rows are generated without it. To balance a column, add a condition with a number of rows for each level. These numbers must add up to at most n_samples. The rows of the result are in random order.',
    examples: [
      [
        { column: 'age', between: [18, null] },
        { column: 'species', equals: 'Gentoo', rows: 500 },
        { column: 'species', in: ['Adelie', 'Chinstrap'], rows: 500 },
      ],
    ],
  });
