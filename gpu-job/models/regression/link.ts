/** The link scale of each family: where a linear predictor is at home. */

import { JobError } from '../../../domain/errors.ts';
import type { Family } from '../../../domain/schema/families.ts';

type LinkName = 'identity' | 'log' | 'logit' | 'log1p';

interface Link {
  name: LinkName;
  /** Values that the family can have, in words and as a test. */
  support: string;
  supports(y: number): boolean;
  /** Shares may be written as percent. */
  share?: true;
}

const anyNumber = { support: 'any number', supports: Number.isFinite };
const positive = { support: 'numbers above 0', supports: (y: number) => y > 0 };
const notNegative = { support: 'numbers from 0 up', supports: (y: number) => y >= 0 };
const counts = { support: 'whole numbers from 0 up', supports: (y: number) => y >= 0 && Number.isInteger(y) };
const openShare = {
  support: 'numbers above 0 and below 1 (or 100, for percent)',
  supports: (y: number) => y > 0 && y < 1,
  share: true as const,
};
const closedShare = {
  support: 'numbers from 0 to 1 (or 100, for percent)',
  supports: (y: number) => y >= 0 && y <= 1,
  share: true as const,
};

const LINKS: Record<Family, Link> = {
  gaussian: { name: 'identity', ...anyNumber },
  student_t: { name: 'identity', ...anyNumber },
  lognormal: { name: 'log', ...positive },
  gamma: { name: 'log', ...positive },
  beta: { name: 'logit', ...openShare },
  bernoulli: { name: 'identity', support: '0 and 1', supports: (y) => y === 0 || y === 1 },
  poisson: { name: 'log1p', ...counts },
  negative_binomial: { name: 'log1p', ...counts },
  zero_inflated_poisson: { name: 'log1p', ...counts },
  zero_inflated_negative_binomial: { name: 'log1p', ...counts },
  hurdle_poisson: { name: 'log1p', ...counts },
  hurdle_negative_binomial: { name: 'log1p', ...counts },
  hurdle_gamma: { name: 'log1p', ...notNegative },
  hurdle_lognormal: { name: 'log1p', ...notNegative },
  zero_inflated_beta: { name: 'identity', ...closedShare },
  one_inflated_beta: { name: 'identity', ...closedShare },
  zero_one_inflated_beta: { name: 'identity', ...closedShare },
};

const FUNCTIONS: Record<LinkName, (y: number) => number> = {
  identity: (y) => y,
  log: Math.log,
  logit: (y) => Math.log(y) - Math.log1p(-y),
  log1p: Math.log1p,
};

export const linkName = (family: Family): LinkName => LINKS[family].name;

/** What shares are divided by: 100 where they are percent. */
const shareScale = (y: Float64Array): 1 | 100 => (y.some((value) => value > 1) ? 100 : 1);

/** `y` on the family's link scale. Throws JobError invalid_data where the family cannot have one of the values. */
export function toLinkScale(y: Float64Array, family: Family, column: string): Float64Array {
  const link = LINKS[family];
  const scale = link.share ? shareScale(y) : 1;
  const scaled = scale === 1 ? y : y.map((value) => value / scale);
  const outside = scaled.reduce((count, value) => count + (link.supports(value) ? 0 : 1), 0);
  if (outside > 0) {
    throw new JobError(
      'invalid_data',
      `The target ${JSON.stringify(column)} has ${outside} of ${y.length} values that the family ${family} cannot have: ` +
        `it takes ${link.support}. Send POST /generate again with family "auto" or one that fits the column.`,
    );
  }
  return scaled.map(FUNCTIONS[link.name]);
}
