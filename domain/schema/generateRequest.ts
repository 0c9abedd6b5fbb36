/** POST /generate: the body's fields, their bounds and defaults. Null stands for a field left out. */
import { z } from 'zod';
import { FAMILIES } from './families.ts';

export const BOUNDS = {
  n_samples: { min: 1, max: 1_000_000, default: 3000 },
  draws: { min: 100, max: 10_000, default: 1000 },
  tune: { min: 100, max: 10_000, default: 1000 },
  text_epochs: { min: 1, max: 100, default: 3 },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER },
} as const;

const boundedInteger = (bounds: { min: number; max: number; default: number }) =>
  z
    .int()
    .min(bounds.min)
    .max(bounds.max)
    .nullish()
    .transform((value) => value ?? bounds.default);

const columnList = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);

export const generateRequestSchema = z.object({
  job_id: z.string().min(1),
  target_col: z
    .string()
    .nullish()
    .transform((value) => value ?? null),
  continuous_cols: columnList,
  categorical_cols: columnList,
  text_cols: columnList,
  n_samples: boundedInteger(BOUNDS.n_samples),
  draws: boundedInteger(BOUNDS.draws),
  tune: boundedInteger(BOUNDS.tune),
  family: z
    .enum(['auto', ...FAMILIES])
    .nullish()
    .transform((value) => value ?? ('auto' as const)),
  text_epochs: boundedInteger(BOUNDS.text_epochs),
  seed: z
    .int()
    .min(BOUNDS.seed.min)
    .max(BOUNDS.seed.max)
    .nullish()
    .transform((value) => value ?? null),
});

/** A request as a client may send it. */
export type GenerateRequestBody = z.input<typeof generateRequestSchema>;

/** A request with every default filled in. */
export type GenerateRequest = z.output<typeof generateRequestSchema>;
