/**
 * `nuts`: chains over all rows, at any cost. `approximate`: a checked approximation, else chains. `auto`: chains if
 * feasible.
 */
export const SAMPLERS = ['auto', 'nuts', 'approximate'] as const;
export type Sampler = (typeof SAMPLERS)[number];
