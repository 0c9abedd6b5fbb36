import type { FidelityMetrics } from '../../../contract/metrics.ts';
import { VERDICT_Z, Z } from '../intervals.ts';

/** True if a table is significantly harder to tell from training than from unseen rows. */
export function followsTraining({
  discriminator: unseen,
  discriminator_training: seen,
}: Pick<FidelityMetrics, 'discriminator' | 'discriminator_training'>): boolean {
  const errors = [unseen, seen].map(({ low, high }) => ((high ?? Number.NaN) - (low ?? Number.NaN)) / (2 * Z));
  return (unseen.value ?? Number.NaN) - (seen.value ?? Number.NaN) > VERDICT_Z * Math.hypot(...errors);
}
