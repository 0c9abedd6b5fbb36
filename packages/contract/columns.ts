/** What the service knows of a column: its kind and role, how its cells are written, and what it says of another one. */
import { z } from 'zod';

// The roles of columns: their order, and the field of a request that names the columns of each.

/** In the order in which a request is read and a model is built: each role is conditioned on those before it. */
export const ROLE_FIELDS = [
  { role: 'target', field: 'target_col' },
  { role: 'continuous', field: 'continuous_cols' },
  { role: 'categorical', field: 'categorical_cols' },
  { role: 'text', field: 'text_cols' },
] as const;

/** The column fields of a request. */
type ColumnFields = { [F in RoleField]: F extends 'target_col' ? string | null : readonly string[] };

export interface NamedColumn {
  role: RequestRole;
  field: RoleField;
  name: string;
}

/** Every column that a request names, with its role and field: roles in their order, columns as each field lists them. */
export function namedColumns(request: ColumnFields): NamedColumn[] {
  return ROLE_FIELDS.flatMap(({ role, field }) => {
    const named = request[field];
    const names = typeof named === 'string' ? [named] : (named ?? []);
    return names.map((name) => ({ role, field, name }));
  });
}

export type RequestRole = (typeof ROLE_FIELDS)[number]['role'];
type RoleField = (typeof ROLE_FIELDS)[number]['field'];

/** Every role that a column may be suggested: those of a request, and none. */
export const ROLES = [...ROLE_FIELDS.map(({ role }) => role), 'ignore'] as const;
/** What a column is used as. */
export type Role = (typeof ROLES)[number];

/** Kinds as `col_types` shows them. */
export const COLUMN_KINDS = ['continuous', 'categorical', 'text', 'datetime', 'identifier', 'empty'] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** How a column of numbers is written. */
export const numberFormatSchema = z.object({
  /** Every number is whole and none is written with a decimal point. */
  integer: z.boolean(),
  /** Most digits after the decimal point that a cell has. */
  decimals: z.int(),
  /** Every cell has exactly `decimals` digits after the point ("1.50", "2.00"). */
  fixed: z.boolean(),
  /** Cells with a point have exactly `decimals` digits behind it, whole numbers have no point ("3", "3.50"). Left out elsewhere. */
  whole_or_fixed: z.literal(true).optional(),
  min: z.number(),
  max: z.number(),
});
export type NumberFormat = z.infer<typeof numberFormatSchema>;

/** How a number below zero is written: "-12", "−12" (U+2212), "(12)", "12-". */
export const NEGATIVES = ['minus', 'typographic', 'parentheses', 'trailing'] as const;

/** What a date or time counts since 1970-01-01 00:00 of its own clock. */
export const TIME_UNITS = ['month', 'day', 'minute', 'second', 'millisecond'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/**
 * How the cells of a column write a number: plainly, decorated ("$1,204.50"), or as a date or time. `formatCell` writes
 * and `parseCell` reads them.
 */
export const cellFormatSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plain'), format: numberFormatSchema }),
  z.object({
    kind: z.literal('decorated'),
    /** "$", "EUR ", "" … */
    prefix: z.string(),
    /** " %", " kg", "" … */
    suffix: z.string(),
    /** Between groups of three digits; '' where digits are not grouped. */
    thousands: z.string(),
    /** False where groups are read, but most of the numbers that could have them are written without. Left out elsewhere. */
    grouped: z.literal(false).optional(),
    decimal: z.enum(['.', ',']),
    negative: z.enum(NEGATIVES),
    /** The sign, or the parentheses, stand outside of prefix and suffix: "-$3", "($3)"; else inside: "$-3". */
    signOutside: z.boolean(),
    /** Numbers above zero have a "+". */
    plus: z.boolean(),
    /** Digits that the whole part has at least, zeros before them: 5 for "00123"; 0 where there are none. */
    width: z.int(),
    /** The suffix says percent. The number is as written: 12 for "12 %". */
    percent: z.boolean(),
    /** Format of the numbers without what is around them. */
    format: numberFormatSchema,
  }),
  z.object({
    kind: z.literal('time'),
    /** Name of the form, such as "YYYY-MM-DD hh:mm:ss" or "Mon-YY". */
    pattern: z.string(),
    unit: z.enum(TIME_UNITS),
    /** "Z", "+01:00" …, as the cells have it; the number is the clock's there. Null where the cells name none. */
    zone: z.string().nullable(),
    /** No cell shows whether the day or the month comes first. Left out where one does. */
    ambiguous: z.literal(true).optional(),
    /** Format of the numbers of `unit`s since 1970: whole, from the earliest to the latest. */
    format: numberFormatSchema,
  }),
]);
export type CellFormat = z.infer<typeof cellFormatSchema>;
export type PlainFormat = Extract<CellFormat, { kind: 'plain' }>;
export type DecoratedFormat = Extract<CellFormat, { kind: 'decorated' }>;
export type TimeFormat = Extract<CellFormat, { kind: 'time' }>;

const placedNumber = z.object({ value: z.number(), row: z.int() });

/**
 * Where numbers of a kind stand first, the first row below the header being row 1. Null where there is none, or its row
 * is not known.
 */
const firstNumbersSchema = z.object({
  min: placedNumber.nullable(),
  max: placedNumber.nullable(),
  /** The row of the first 0. */
  zero: z.int().nullable(),
  /** The first number that is not whole. */
  fraction: placedNumber.nullable(),
});

const columnKeySchema = z
  .object({
    /** Each key in one row, or rows of one key that belong together. */
    kind: z.enum(['unique', 'repeated']),
    /** Distinct keys, and rows that have one. */
    keys: z.int(),
    rows: z.int(),
  })
  .meta({
    description:
      'Where the values name persons or things, such as customer numbers: how many there are, and whether they repeat. New ones are generated, whatever the role of the column. Left out elsewhere.',
  });

export const columnProfileSchema = z.object({
  name: z.string(),
  kind: z.enum(COLUMN_KINDS),
  /** 0 to 1. */
  confidence: z.number(),
  suggested_role: z.enum(ROLES),
  /** Why, in words, with the numbers of rows; the first row below the header is row 1. */
  evidence: z.array(z.string()),
  /** What the column would be if it were not `kind`; null where nothing else comes near. */
  runner_up: z.object({ kind: z.enum(COLUMN_KINDS), confidence: z.number() }).nullable(),
  missing: z.int(),
  /** The text that stands for a missing cell most often: '' or 'NA', say. */
  missing_token: z.string(),
  /**
   * All texts that stand for a missing cell, with their counts, the most frequent first: '' and its like, and those that
   * only this column's cells show to be ("-999", "-", "."). At most 20.
   */
  missing_tokens: z.array(z.tuple([z.string(), z.int()])),
  /** Exact where `distinct_exact`, else an estimate. */
  distinct: z.int(),
  distinct_exact: z.boolean(),
  /** Most frequent levels with their counts, most frequent first; at most 100, none for free text. */
  top_levels: z.array(z.tuple([z.string(), z.int()])),
  /** How numbers or times are written; null where the cells are neither. */
  format: cellFormatSchema.nullable(),
  /** Cells that are numbers, read through `format` (times as numbers of its unit since 1970), and their format and quantiles (0, 1 %, 5 %, 10 %, … 90 %, 95 %, 99 %, 100 %); null where none is. */
  numbers: z
    .object({
      count: z.int(),
      format: numberFormatSchema,
      mean: z.number(),
      sd: z.number(),
      zeros: z.int(),
      quantiles: z.array(z.number()),
      /** Profiles of earlier versions do not say. */
      first: firstNumbersSchema.optional(),
    })
    .nullable(),
  /** Shortest, mean and longest cell in UTF-16 units, missing cells left out; null where all are missing. */
  lengths: z.object({ min: z.int(), mean: z.number(), max: z.int() }).nullable(),
  /** Left out where the column is no key, and in profiles of earlier versions. */
  key: columnKeySchema.optional(),
  /** Texts of a form that has a model of its own; left out for others, and in profiles of earlier versions. */
  text_form: z.enum(['person_names', 'address', 'town', 'firm']).optional(),
});
export type ColumnProfile = z.infer<typeof columnProfileSchema>;

/** POST /upload: what a small picture of a column is drawn from. */
export const columnPictureSchema = z.discriminatedUnion('kind', [
  /** Quantiles of numbers, and of times as numbers of their format’s unit since 1970. */
  z.object({
    kind: z.literal('quantiles'),
    probabilities: z.array(z.number()),
    values: z.array(z.number()),
    /** The least number, the median and the greatest, as the file writes them. */
    low: z.string(),
    middle: z.string(),
    high: z.string(),
  }),
  z.object({
    kind: z.literal('levels'),
    /** The most frequent levels with their numbers of rows. */
    levels: z.array(z.tuple([z.string(), z.int()])),
    /** Rows of all other levels. */
    others: z.int(),
  }),
  /** Characters of texts and identifiers. */
  z.object({ kind: z.literal('lengths'), min: z.int(), mean: z.number(), max: z.int() }),
]);

export type ColumnPicture = z.infer<typeof columnPictureSchema>;

// POST /upload: what is said of the table as a whole.

/** The table's first rows, cells as in the file, in the order of its columns. Null is a missing cell. */
export const previewSchema = z.array(z.array(z.string().nullable()));

/** Rows of a preview, and characters of one of its cells, at most. */
export const PREVIEW = { rows: 8, characters: 200 } as const;

/** The column that somebody is most likely to want explained by the others, and why, without a cell of the table. */
export const suggestedTargetSchema = z.object({ column: z.string(), reason: z.string() });
export type SuggestedTarget = z.infer<typeof suggestedTargetSchema>;

/** The key whose rows belong together, as `entity_col`; and the column that has them in their order, as `order_col`. */
export const suggestedEntitySchema = z.object({
  column: z.string(),
  reason: z.string(),
  order: z.object({ column: z.string(), reason: z.string() }).nullable(),
});
export type SuggestedEntity = z.infer<typeof suggestedEntitySchema>;

// What one column says of another: found in the row sample of an upload, and true in every row of it, or in nearly all.

/** Functions of one number, by the name that a client reads. The first is a straight line. */
export const FORMS = ['linear', 'ln', 'log10', 'log2', 'ln(1+x)', 'exp', 'sqrt', 'square', 'reciprocal'] as const;

const common = {
  /** The column that the other one says. */
  column: z.string(),
  of: z.string(),
  /** Rows that were looked at. */
  rows: z.int(),
  /** Share of them in which it holds, rounded down to four decimals; left out where it holds in all of them. */
  share: z.number().optional(),
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
