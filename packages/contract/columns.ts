import { z } from 'zod';

/** In request and modelling order: each role is conditioned on those before it. */
export const ROLE_FIELDS = [
  { role: 'target', field: 'target_col' },
  { role: 'continuous', field: 'continuous_cols' },
  { role: 'categorical', field: 'categorical_cols' },
  { role: 'text', field: 'text_cols' },
] as const;

type ColumnFields = { [F in RoleField]: F extends 'target_col' ? string | null : readonly string[] };

export interface NamedColumn {
  role: RequestRole;
  field: RoleField;
  name: string;
}

/** In role order. */
export function namedColumns(request: ColumnFields): NamedColumn[] {
  return ROLE_FIELDS.flatMap(({ role, field }) => {
    const named = request[field];
    const names = typeof named === 'string' ? [named] : (named ?? []);
    return names.map((name) => ({ role, field, name }));
  });
}

export type RequestRole = (typeof ROLE_FIELDS)[number]['role'];
type RoleField = (typeof ROLE_FIELDS)[number]['field'];

/** Roles that may be suggested: those of a request, and none. */
export const ROLES = [...ROLE_FIELDS.map(({ role }) => role), 'ignore'] as const;
/** What a column is used as. */
export type Role = (typeof ROLES)[number];

/** Kinds in `col_types`. */
export const COLUMN_KINDS = ['continuous', 'categorical', 'text', 'datetime', 'identifier', 'empty'] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

export const numberFormatSchema = z.object({
  /** No decimal point occurs. */
  integer: z.boolean(),
  decimals: z.int(),
  /** "1.50", "2.00": all cells have `decimals` decimals. */
  fixed: z.boolean(),
  /** "3", "3.50": `decimals` decimals or none. Absent otherwise. */
  whole_or_fixed: z.literal(true).optional(),
  min: z.number(),
  max: z.number(),
});
export type NumberFormat = z.infer<typeof numberFormatSchema>;

/** "-12", "−12" (U+2212), "(12)", "12-". */
export const NEGATIVES = ['minus', 'typographic', 'parentheses', 'trailing'] as const;

/** Counted from 1970-01-01 00:00 local time. */
export const TIME_UNITS = ['month', 'day', 'minute', 'second', 'millisecond'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** For `formatCell` and `parseCell`. */
export const cellFormatSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plain'), format: numberFormatSchema }),
  z.object({
    kind: z.literal('decorated'),
    prefix: z.string(),
    suffix: z.string(),
    thousands: z.string(),
    /** Groups are accepted, but most numbers lack them. Absent otherwise. */
    grouped: z.literal(false).optional(),
    decimal: z.enum(['.', ',']),
    negative: z.enum(NEGATIVES),
    /** "-$3", "($3)"; otherwise "$-3". */
    signOutside: z.boolean(),
    /** Positive numbers have a "+". */
    plus: z.boolean(),
    /** Zero-padded digits of the whole part: 5 for "00123", else 0. */
    width: z.int(),
    /** The number stays as written: 12 for "12 %". */
    percent: z.boolean(),
    format: numberFormatSchema,
  }),
  z.object({
    kind: z.literal('time'),
    pattern: z.string(),
    unit: z.enum(TIME_UNITS),
    /** As written, or null. Numbers refer to this zone. */
    zone: z.string().nullable(),
    /** Day and month may be swapped. Absent otherwise. */
    ambiguous: z.literal(true).optional(),
    /** In `unit`s since 1970: integer, from the earliest to the latest. */
    format: numberFormatSchema,
  }),
]);
export type CellFormat = z.infer<typeof cellFormatSchema>;
export type PlainFormat = Extract<CellFormat, { kind: 'plain' }>;
export type DecoratedFormat = Extract<CellFormat, { kind: 'decorated' }>;
export type TimeFormat = Extract<CellFormat, { kind: 'time' }>;

const placedNumber = z.object({ value: z.number(), row: z.int() });

/** First occurrences; rows count from 1 below the header. Null if absent or unknown. */
const firstNumbersSchema = z.object({
  min: placedNumber.nullable(),
  max: placedNumber.nullable(),
  zero: z.int().nullable(),
  fraction: placedNumber.nullable(),
});

const columnKeySchema = z
  .object({
    /** One row per key, or several that belong together. */
    kind: z.enum(['unique', 'repeated']),
    keys: z.int(),
    rows: z.int(),
  })
  .meta({
    description:
      'For columns whose values identify persons or things, such as customer numbers: how many there are, and whether they repeat. New ones are generated, whatever the role of the column. Absent for other columns.',
  });

export const columnProfileSchema = z.object({
  name: z.string(),
  kind: z.enum(COLUMN_KINDS),
  /** 0 to 1. */
  confidence: z.number(),
  suggested_role: z.enum(ROLES),
  /** Reasons with row numbers (from 1 below the header). */
  evidence: z.array(z.string()),
  /** Next likely kind, or null. */
  runner_up: z.object({ kind: z.enum(COLUMN_KINDS), confidence: z.number() }).nullable(),
  missing: z.int(),
  /** Most frequent text for a missing cell, such as '' or 'NA'. */
  missing_token: z.string(),
  /** With counts, most frequent first, at most 20. */
  missing_tokens: z.array(z.tuple([z.string(), z.int()])),
  /** Exact if `distinct_exact`, else an estimate. */
  distinct: z.int(),
  distinct_exact: z.boolean(),
  /** At most 100, most frequent first; none for free text. */
  top_levels: z.array(z.tuple([z.string(), z.int()])),
  format: cellFormatSchema.nullable(),
  /** Quantiles at 0, 1, 5, 10, 20 … 90, 95, 99, 100 %; times in `unit`s since 1970. */
  numbers: z
    .object({
      count: z.int(),
      format: numberFormatSchema,
      mean: z.number(),
      sd: z.number(),
      zeros: z.int(),
      quantiles: z.array(z.number()),
      first: firstNumbersSchema.optional(),
    })
    .nullable(),
  /** Cell lengths in UTF-16 units; null if all cells are missing. */
  lengths: z.object({ min: z.int(), mean: z.number(), max: z.int() }).nullable(),
  /** Absent for other columns and in older profiles. */
  key: columnKeySchema.optional(),
  /** Absent for other texts and in older profiles. */
  text_form: z.enum(['person_names', 'address', 'town', 'firm']).optional(),
});
export type ColumnProfile = z.infer<typeof columnProfileSchema>;

/** POST /upload: what a small picture of a column is drawn from. */
export const columnPictureSchema = z.discriminatedUnion('kind', [
  /** Times count units since 1970. */
  z.object({
    kind: z.literal('quantiles'),
    probabilities: z.array(z.number()),
    values: z.array(z.number()),
    /** Minimum, median and maximum as the file writes them. */
    low: z.string(),
    middle: z.string(),
    high: z.string(),
  }),
  z.object({
    kind: z.literal('levels'),
    levels: z.array(z.tuple([z.string(), z.int()])),
    others: z.int(),
  }),
  z.object({ kind: z.literal('lengths'), min: z.int(), mean: z.number(), max: z.int() }),
]);

export type ColumnPicture = z.infer<typeof columnPictureSchema>;

/** First rows as in the file; null is missing. */
export const previewSchema = z.array(z.array(z.string().nullable()));

/** Maximum rows, and characters per cell. */
export const PREVIEW = { rows: 8, characters: 200 } as const;

/** Most likely target and why, without quoting cells. */
export const suggestedTargetSchema = z.object({ column: z.string(), reason: z.string() });
export type SuggestedTarget = z.infer<typeof suggestedTargetSchema>;

/** Suggested `entity_col` and `order_col`. */
export const suggestedEntitySchema = z.object({
  column: z.string(),
  reason: z.string(),
  order: z.object({ column: z.string(), reason: z.string() }).nullable(),
});
export type SuggestedEntity = z.infer<typeof suggestedEntitySchema>;

// Relations hold in all or nearly all rows of the sample.

export const FORMS = ['linear', 'ln', 'log10', 'log2', 'ln(1+x)', 'exp', 'sqrt', 'square', 'reciprocal'] as const;

const common = {
  column: z.string(),
  of: z.string(),
  rows: z.int(),
  /** Share of rows that comply, rounded down; absent if all do. */
  share: z.number().optional(),
  sentence: z.string(),
};

export const relationSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('copy'), ...common }),
  /** `slope * form(of) + intercept` within rounding; missing if `of` is or the form is undefined. */
  z.object({
    kind: z.literal('function'),
    ...common,
    form: z.enum(FORMS),
    slope: z.number(),
    intercept: z.number(),
  }),
  /** Sum of `parts` within rounding (`of` is the first); missing if a part is. */
  z.object({ kind: z.literal('sum'), ...common, parts: z.array(z.string()) }),
  /** Never below `of` in rows with both; if `strict`, never equal either. */
  z.object({ kind: z.literal('order'), ...common, strict: z.boolean() }),
  /** Each text of `of` determines the text; if `one_to_one`, also vice versa. */
  z.object({ kind: z.literal('labels'), ...common, one_to_one: z.boolean() }),
  z.object({ kind: z.literal('missing_together'), ...common }),
  /** Missing exactly if `of` is one of `values`; if `except`, exactly if it is not. */
  z.object({ kind: z.literal('missing_when'), ...common, values: z.array(z.string()), except: z.boolean() }),
]);
export type Relation = z.infer<typeof relationSchema>;
export type FunctionForm = (typeof FORMS)[number];
