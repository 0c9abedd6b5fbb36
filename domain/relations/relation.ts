/** What one column says of another: found in the row sample of an upload, and true in every row of it. */
import { z } from 'zod';

/** Functions of one number, by the name that a client reads. The first is a straight line. */
export const FORMS = ['linear', 'ln', 'log10', 'log2', 'ln(1+x)', 'exp', 'sqrt', 'square', 'reciprocal'] as const;

const common = {
  /** The column that the other one says. */
  column: z.string(),
  of: z.string(),
  /** Rows in which it was found to hold: all that were looked at. */
  rows: z.int(),
  /** In words. */
  sentence: z.string(),
};

export const relationSchema = z.discriminatedUnion('kind', [
  /** Equal text in every row. */
  z.object({ kind: z.literal('copy'), ...common }),
  /** `slope * form(of) + intercept`, but for rounding; missing where `of` is, or where the form has no value. */
  z.object({
    kind: z.literal('function'),
    ...common,
    form: z.enum(FORMS),
    slope: z.number(),
    intercept: z.number(),
  }),
  /** The sum of `parts`, of which `of` is the first, but for rounding; missing where one of them is. */
  z.object({ kind: z.literal('sum'), ...common, parts: z.array(z.string()) }),
  /** Never below `of`, in rows that have both; where `strict`, never equal to it either. */
  z.object({ kind: z.literal('order'), ...common, strict: z.boolean() }),
  /** Each text of `of` stands beside one text; where `one_to_one`, the other way round too. */
  z.object({ kind: z.literal('labels'), ...common, one_to_one: z.boolean() }),
  /** Missing in the same rows. */
  z.object({ kind: z.literal('missing_together'), ...common }),
  /** Missing exactly where `of` is one of `values`; where `except`, exactly where it is none of them. */
  z.object({ kind: z.literal('missing_when'), ...common, values: z.array(z.string()), except: z.boolean() }),
]);
export type Relation = z.infer<typeof relationSchema>;
export type FunctionForm = (typeof FORMS)[number];

/** What each form makes of a number; not finite where it has no value. */
export const FORM_VALUES: Readonly<Record<FunctionForm, (x: number) => number>> = {
  linear: (x) => x,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  'ln(1+x)': Math.log1p,
  exp: Math.exp,
  sqrt: Math.sqrt,
  square: (x) => x * x,
  reciprocal: (x) => 1 / x,
};
