/** How a posterior may be asked to be drawn from. */

/**
 * `nuts`: chains over all rows, whatever that takes. `approximate`: draws of an approximation that passed its check, else
 * chains. `auto`: chains.
 */
export const SAMPLERS = ['auto', 'nuts', 'approximate'] as const;
export type Sampler = (typeof SAMPLERS)[number];
