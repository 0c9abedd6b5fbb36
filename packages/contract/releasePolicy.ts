import { z } from 'zod';
import { HELD_OUT_RULES } from './heldOutRules.ts';

const count = (what: string, description: string) => {
  const error = `must be a whole number of ${what}, 0 or more`;
  return z
    .int({ error })
    .min(0, { error })
    .nullish()
    .transform((value) => value ?? null)
    .meta({ description });
};

/** Smaller tables reveal most rows: withheld until released. */
export const MIN_REAL_ROWS = 50;

const KNOWN =
  'exact_copies, verbatim_text, max_nearest_train_share_lower, max_membership_auc_lower, max_singling_out_excess, max_linkability_excess and max_attribute_excess';

const SHARE = 'must be a share from 0 to 1';

const atMost = (description: string) =>
  z
    .number({ error: SHARE })
    .min(0, { error: SHARE })
    .max(1, { error: SHARE })
    .nullish()
    .transform((value) => value ?? null)
    .meta({ description });

const excess = (attack: string, figure: string) =>
  atMost(
    `The largest allowed upper bound (95 %, one-sided) of metrics.privacy.${figure}: how much more often ${attack} succeeds on training rows than on held-out rows. With few held-out rows, the bound cannot be small.`,
  );

type HeldOutRule = (typeof HELD_OUT_RULES)[number];

export const releasePolicySchema = z
  .strictObject(
    {
      max_nearest_train_share_lower: atMost(
        'The largest allowed lower bound (95 %) of metrics.privacy.dcr_share: with 0.5, there must be no evidence that rows are closer to training rows.',
      ),
      max_membership_auc_lower: atMost(
        'The largest allowed lower bound (95 %, all attacks together) of an AUC in metrics.privacy.membership: with 0.5, there must be no evidence that training rows can be told from held-out rows.',
      ),
      max_singling_out_excess: excess('singling out', 'singling_out_excess'),
      max_linkability_excess: excess('linkability', 'linkability_excess'),
      max_attribute_excess: excess('attribute inference', 'attribute_excess'),
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
          ? `has unknown fields (${issue.keys.slice(0, 5).join(', ')}); known are ${KNOWN}`
          : 'must be an object such as {"exact_copies": 0}',
    },
  )
  .meta({ description: 'Omitted rules do not apply.' });

export type ReleasePolicy = z.output<typeof releasePolicySchema>;

export const NO_RULES: ReleasePolicy = releasePolicySchema.parse({});

/** Returns the stricter limit of each rule. */
export function stricterPolicy(one: ReleasePolicy | null, other: ReleasePolicy | null): ReleasePolicy | null {
  if (!one || !other) return one ?? other;
  const rule = (name: keyof ReleasePolicy): number | null => {
    const allowed = [one[name], other[name]].filter((value) => value !== null);
    return allowed.length > 0 ? Math.min(...allowed) : null;
  };
  return {
    max_nearest_train_share_lower: rule('max_nearest_train_share_lower'),
    max_membership_auc_lower: rule('max_membership_auc_lower'),
    max_singling_out_excess: rule('max_singling_out_excess'),
    max_linkability_excess: rule('max_linkability_excess'),
    max_attribute_excess: rule('max_attribute_excess'),
    exact_copies: rule('exact_copies'),
    verbatim_text: rule('verbatim_text'),
  };
}

/** Requires no evidence of copying, but no upper bound of an excess. */
const STRICT: ReleasePolicy = {
  ...NO_RULES,
  max_nearest_train_share_lower: 0.5,
  max_membership_auc_lower: 0.5,
  exact_copies: 0,
  verbatim_text: 0,
};

/** JSON, or `strict`. Returns an error message as string. */
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
  reasons: z.array(z.string()),
  /** Null if no rule needs it or not measurable. */
  found: z.object({
    nearest_train_share_lower: z.number().nullable(),
    membership_auc_lower: z.number().nullable().default(null),
    singling_out_excess: z.number().nullable().default(null),
    linkability_excess: z.number().nullable().default(null),
    attribute_excess: z.number().nullable().default(null),
    exact_copies: z.int().nullable(),
    verbatim_text: z.int().nullable(),
    real_rows: z
      .int()
      .optional()
      .meta({ description: `Rows of the upload, if fewer than ${MIN_REAL_ROWS}.` }),
  }),
  redrawn: z.int(),
});

export type ReleaseMetrics = z.output<typeof releaseMetricsSchema>;

/** A broken rule; `found` is null if not measurable. `few_rows` applies to every policy. */
export interface PolicyBreach {
  rule: keyof ReleasePolicy | 'few_rows';
  found: number | null;
  allowed: number;
}

type Found = ReleaseMetrics['found'];

const FOUND_BY: Readonly<Record<keyof ReleasePolicy, (found: Found) => number | null>> = {
  exact_copies: (found) => found.exact_copies,
  verbatim_text: (found) => found.verbatim_text,
  max_nearest_train_share_lower: (found) => found.nearest_train_share_lower,
  max_membership_auc_lower: (found) => found.membership_auc_lower,
  max_singling_out_excess: (found) => found.singling_out_excess,
  max_linkability_excess: (found) => found.linkability_excess,
  max_attribute_excess: (found) => found.attribute_excess,
};

const RULES: readonly (keyof ReleasePolicy)[] = ['exact_copies', 'verbatim_text', ...HELD_OUT_RULES];

const needsHeldOut = (rule: keyof ReleasePolicy): rule is HeldOutRule => HELD_OUT_RULES.some((one) => one === rule);

/** Whether a rule needs held-out rows or refitted models. */
export const asksForHeldOut = (policy: ReleasePolicy): boolean => HELD_OUT_RULES.some((rule) => policy[rule] !== null);

/** Returns broken rules. With `needsShare`, unmeasured held-out figures break their rules. */
export function policyBreaches(
  policy: ReleasePolicy,
  found: Found,
  { needsShare }: { needsShare: boolean },
): PolicyBreach[] {
  const own = RULES.flatMap((rule): PolicyBreach[] => {
    const [allowed, value] = [policy[rule], FOUND_BY[rule](found)];
    if (allowed === null) return [];
    const isBroken = value === null ? needsShare && needsHeldOut(rule) : value > allowed;
    return isBroken ? [{ rule, found: value, allowed }] : [];
  });
  const { real_rows } = found;
  return real_rows === undefined ? own : [{ rule: 'few_rows', found: real_rows, allowed: MIN_REAL_ROWS }, ...own];
}
