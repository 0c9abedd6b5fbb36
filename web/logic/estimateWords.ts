/** An estimate in words. */
import type { EstimateReply } from '../../domain/schema/replies.ts';
import { duration } from './words.ts';

export type Plan = NonNullable<EstimateReply['cheaper']>;
export type PlanFields = Plan['fields'];

/** No more exact than an estimate is: "a second", "42 s", "3 min", "1 h 02 min". */
export function timeWords(seconds: number): string {
  if (seconds < 1.5) return 'a second';
  if (seconds < 90) return duration(1000 * Math.round(seconds));
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes}\u00a0min` : duration(60_000 * minutes);
}

/** "$0.006", "$1.20" */
export const dollars = (usd: number): string => `$${usd.toFixed(usd < 0.1 ? 3 : 2)}`;
