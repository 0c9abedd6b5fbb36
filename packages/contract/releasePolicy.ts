/** What a synthetic table must keep to before anyone can fetch it, and what became of that. */
import { z } from 'zod';

const count = (what: string, description: string) => {
  const error = `must be a whole number of ${what}, 0 or more`;
  return z
    .int({ error })
    .min(0, { error })
    .nullish()
    .transform((value) => value ?? null)
    .meta({ description });
};

/** Of a table with fewer rows, a synthetic one shows nearly each: it is made only on request, and withheld until released. */
export const MIN_REAL_ROWS = 50;

const SHARE = 'must be a share from 0 to 1';

export const releasePolicySchema = z
  .strictObject(
    {
      max_nearest_train_share_lower: z
        .number({ error: SHARE })
        .min(0, { error: SHARE })
        .max(1, { error: SHARE })
        .nullish()
        .transform((value) => value ?? null)
        .meta({
          description:
            'The largest allowed lower bound (95 %) of metrics.privacy.dcr_share: with 0.5, there must be no evidence that rows are closer to training rows.',
        }),
      exact_copies: count(
        'rows',
        'The largest allowed number of rows that equal a unique real row in every numeric and categorical column.',
      ),
      verbatim_text: count(
        'rows',
        'The largest allowed number of rows with a text that shares a run of 40 characters with a real text (or, if shorter, is a whole text that few real rows have).',
      ),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `has unknown fields (${issue.keys.slice(0, 5).join(', ')}); known are max_nearest_train_share_lower, exact_copies and verbatim_text`
          : 'must be an object such as {"exact_copies": 0}',
    },
  )
  .meta({ description: 'A rule that is left out does not apply.' });

export type ReleasePolicy = z.output<typeof releasePolicySchema>;

/** No rule. */
export const NO_RULES: ReleasePolicy = { max_nearest_train_share_lower: null, exact_copies: null, verbatim_text: null };

/** Of each rule the smaller number; a rule that one of them has not is the other's. */
export function stricterPolicy(one: ReleasePolicy | null, other: ReleasePolicy | null): ReleasePolicy | null {
  if (!one || !other) return one ?? other;
  const rule = (name: keyof ReleasePolicy): number | null => {
    const allowed = [one[name], other[name]].filter((value) => value !== null);
    return allowed.length > 0 ? Math.min(...allowed) : null;
  };
  return {
    max_nearest_train_share_lower: rule('max_nearest_train_share_lower'),
    exact_copies: rule('exact_copies'),
    verbatim_text: rule('verbatim_text'),
  };
}

/** No evidence of copying, by any rule. */
const STRICT: ReleasePolicy = { max_nearest_train_share_lower: 0.5, exact_copies: 0, verbatim_text: 0 };

/** The policy that an operator sets: JSON, or `strict` for all rules at their tightest. A string says what is wrong. */
export function readReleasePolicy(text: string): ReleasePolicy | string {
  if (text === 'strict') return STRICT;
  const parsed = releasePolicySchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(' '));
  return `must be "strict" or JSON such as {"exact_copies": 0}: ${[...new Set(found)].join('; ')}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const asksNothing = (policy: ReleasePolicy): boolean => Object.values(policy).every((rule) => rule === null);

export const releaseMetricsSchema = z.object({
  policy: releasePolicySchema,
  outcome: z.enum(['passed', 'withheld']),
  /** A sentence for each rule that the table breaks; empty where it passed. */
  reasons: z.array(z.string()),
  /** What was found in the end; null where no rule asks for it, or it cannot be measured. */
  found: z.object({
    nearest_train_share_lower: z.number().nullable(),
    exact_copies: z.int().nullable(),
    verbatim_text: z.int().nullable(),
    real_rows: z
      .int()
      .optional()
      .meta({ description: `Rows of the upload, where there are fewer than ${MIN_REAL_ROWS}.` }),
  }),
  /** Rows that broke a rule and were drawn again. */
  redrawn: z.int(),
});

export type ReleaseMetrics = z.output<typeof releaseMetricsSchema>;

/** A rule that a table breaks; `found` is null where it cannot be measured. `few_rows` holds whatever the policy says. */
export interface PolicyBreach {
  rule: keyof ReleasePolicy | 'few_rows';
  found: number | null;
  allowed: number;
}

/** Rules that the table breaks. A share that could not be measured breaks its rule where `needsShare`. */
export function policyBreaches(
  policy: ReleasePolicy,
  found: ReleaseMetrics['found'],
  needsShare: boolean,
): PolicyBreach[] {
  const rules: [rule: keyof ReleasePolicy, found: number | null][] = [
    ['exact_copies', found.exact_copies],
    ['verbatim_text', found.verbatim_text],
    ['max_nearest_train_share_lower', found.nearest_train_share_lower],
  ];
  const own = rules.flatMap(([rule, value]): PolicyBreach[] => {
    const allowed = policy[rule];
    if (allowed === null) return [];
    const isBroken = value === null ? needsShare && rule === 'max_nearest_train_share_lower' : value > allowed;
    return isBroken ? [{ rule, found: value, allowed }] : [];
  });
  const { real_rows } = found;
  return real_rows === undefined ? own : [{ rule: 'few_rows', found: real_rows, allowed: MIN_REAL_ROWS }, ...own];
}
