import { discriminator } from './fidelity/discriminator.ts';
import { likeness } from './fidelity/likeness.ts';
import { attributeInference } from './privacy/attributeInference.ts';
import { copies } from './privacy/copies.ts';
import { copiesButOne } from './privacy/copiesButOne.ts';
import { distanceShare, nearness } from './privacy/distanceShare.ts';
import { linkability } from './privacy/linkability.ts';
import { lookUps } from './privacy/lookUps.ts';
import { membership } from './privacy/membership.ts';
import { singlingOut } from './privacy/singlingOut.ts';
import { singlingOutExcess } from './privacy/singlingOutExcess.ts';
import { strangeRows } from './privacy/strangeRows.ts';
import { textMemorisation } from './privacy/textMemorisation.ts';
import { categoryUtility } from './utility/categoryUtility.ts';
import { coefficients } from './utility/coefficients.ts';
import { targetUtility } from './utility/targetUtility.ts';

/** Resemblance to real rows. */
export const FIDELITY = [likeness, discriminator] as const;

/** Performance on real rows of models trained on the table. */
export const UTILITY = [categoryUtility, coefficients] as const;

/** Uses the predictions of `metrics.numeric`. */
export const TARGET_UTILITY = [targetUtility] as const;

/** Leaks about training rows. */
export const PRIVACY = [
  copies,
  copiesButOne,
  nearness,
  distanceShare,
  membership,
  attributeInference,
  lookUps,
  singlingOut,
  singlingOutExcess,
  linkability,
  strangeRows,
  textMemorisation,
] as const;
