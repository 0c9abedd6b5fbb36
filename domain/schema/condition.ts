/** POST /generate: conditions that rows are made under. */
import { z } from 'zod';

export const MOST_CONDITIONS = 100;
export const MOST_VALUES = 1000;

const CELL = 'must be a text or a number as in the column, or null';
const cell = z.union([z.string(), z.number(), z.null()], { error: CELL });
const between = z
  .tuple([cell, cell], { error: 'must be a list of two, [low, high]' })
  .refine(([low, high]) => low !== null || high !== null, { error: 'must have a number on one side at least' });

/** A condition gives exactly one of equals, in and between. `equals: null` alone asks for missing cells. */
const choosesOne = (given: { equals?: unknown; in?: unknown; between?: unknown }): boolean => {
  const lists = [given.in, given.between].filter((value) => value !== undefined && value !== null).length;
  return lists === 0 ? given.equals !== undefined : lists === 1 && (given.equals ?? null) === null;
};

export const conditionSchema = z
  .object(
    {
      column: z.string({ error: 'must be a column name (a string)' }).meta({
        description: 'A column of the request: the target, a continuous or a categorical one.',
      }),
      equals: cell.optional().meta({ description: 'One value: of a category its text exactly as in the file.' }),
      in: z
        .array(cell, { error: 'must be a list of values' })
        .min(1, { error: 'must have a value' })
        .max(MOST_VALUES, { error: `must have ${MOST_VALUES} values at most` })
        .nullish()
        .meta({ description: 'Several values, of which each row has one; null among them allows missing cells.' }),
      between: between.nullish().meta({
        description:
          '[low, high], both included, of numbers or of times as the column writes them; null leaves a side open.',
      }),
      rows: z
        .int({ error: 'must be a whole number from 1 on' })
        .min(1, { error: 'must be a whole number from 1 on' })
        .nullish()
        .meta({ description: 'In how many rows it holds. In every row of the table where left out.' }),
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

/** A condition with exactly one of `equals`, `in` and `between`. */
export interface Condition {
  column: string;
  equals?: Cell;
  in?: Cell[];
  between?: [Cell, Cell];
  /** Rows that it holds in; null for all of them. */
  rows: number | null;
}

export const conditionsSchema = z
  .array(conditionSchema, { error: 'must be a list of conditions' })
  .max(MOST_CONDITIONS, { error: `must have ${MOST_CONDITIONS} conditions at most` })
  .nullish()
  .transform((value) => value ?? [])
  .meta({
    description:
      'What rows have to meet, exactly. A condition without rows holds in every row; one with rows in so many of them, which meet those without rows too, and the other rows are made without it: to balance a column, name each of its levels with its number of rows. The numbers of rows together are at most n_samples. The rows of the file are in random order.',
    examples: [
      [
        { column: 'age', between: [18, null] },
        { column: 'species', equals: 'Gentoo', rows: 500 },
        { column: 'species', in: ['Adelie', 'Chinstrap'], rows: 500 },
      ],
    ],
  });
