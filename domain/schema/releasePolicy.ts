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
            'Most that the lower bound (95 %) of metrics.privacy.dcr_share may be: 0.5 asks that there is no evidence of rows near to training rows.',
        }),
      exact_copies: count(
        'rows',
        'Most rows that equal, in every numeric and category column, a real row that stands there once.',
      ),
      verbatim_text: count(
        'rows',
        'Most rows with a text of which a run of 40 characters stands in a real text (of shorter ones: all of it, where few real rows have it).',
      ),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `has unknown fields (${issue.keys.slice(0, 5).join(', ')}); known are max_nearest_train_share_lower, exact_copies and verbatim_text`
          : 'must be an object such as {"exact_copies": 0}',
    },
  )
  .meta({ description: 'A rule left out is not asked for.' });

export type ReleasePolicy = z.output<typeof releasePolicySchema>;

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

export const asksNothing = (policy: ReleasePolicy | null): boolean =>
  policy === null || Object.values(policy).every((rule) => rule === null);

export const releaseMetricsSchema = z.object({
  policy: releasePolicySchema,
  outcome: z.enum(['passed', 'withheld']),
  /** What the table breaks, in sentences; empty where it passed. */
  reasons: z.array(z.string()),
  /** What was found in the end; null where it was not asked for or cannot be had. */
  found: z.object({
    nearest_train_share_lower: z.number().nullable(),
    exact_copies: z.int().nullable(),
    verbatim_text: z.int().nullable(),
  }),
  /** Rows that broke a rule and were drawn anew. */
  redrawn: z.int(),
});

export type ReleaseMetrics = z.output<typeof releaseMetricsSchema>;

/** Whether the rows of a finished job can be had: no rule kept them, they wait for the owner, or the owner released them. */
export const RELEASE_STATES = ['open', 'withheld', 'released'] as const;
export type ReleaseState = (typeof RELEASE_STATES)[number];
