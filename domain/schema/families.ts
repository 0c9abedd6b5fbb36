/** Distribution families that a request may name for its target. */
export const FAMILIES = [
  'gaussian',
  'student_t',
  'lognormal',
  'gamma',
  'beta',
  'bernoulli',
  'poisson',
  'negative_binomial',
  'zero_inflated_poisson',
  'zero_inflated_negative_binomial',
  'zero_inflated_beta',
  'one_inflated_beta',
  'zero_one_inflated_beta',
  'hurdle_gamma',
  'hurdle_lognormal',
  'hurdle_poisson',
  'hurdle_negative_binomial',
] as const;

export type Family = (typeof FAMILIES)[number];

export const isFamily = (text: string): text is Family => (FAMILIES as readonly string[]).includes(text);
