/** When to ask for a job's status again. */

const SOON_MS = 700;
const SLOWEST_MS = 8000;
const GROWTH = 1.4;

/** Milliseconds to wait: soon where something changed, ever later where nothing does. */
export const nextDelay = (before: number, changed: boolean): number =>
  changed ? SOON_MS : Math.min(SLOWEST_MS, Math.max(SOON_MS, before * GROWTH));
