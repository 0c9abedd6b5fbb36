/** What POST /estimate answers: what a job would take, before it is started. */
import { z } from 'zod';
import { BOUNDS } from './generateRequest.ts';

/** The stages of a job, in their order. */
export const STAGES = ['start', 'categories', 'numbers', 'target', 'text', 'metrics', 'write'] as const;
export type Stage = (typeof STAGES)[number];

const seconds = z.number().min(0);

export const spanSchema = z.object({ expected: seconds, low: seconds, high: seconds }).meta({
  description: 'Seconds on two processor cores with nothing else to do; most jobs take from `low` to `high`.',
});

const within = ({ min, max }: { min: number; max: number }) => z.int().min(min).max(max).optional();

export const costSchema = z
  .object({ usd: z.number().min(0), assumes: z.string() })
  .nullable()
  .meta({
    description:
      'US dollars for the machine and the requests, and what is assumed; null on the operator’s own machine.',
  });

export const cheaperPlanSchema = z.object({
  seconds: spanSchema,
  cost: costSchema,
  fields: z
    .object({
      draws: within(BOUNDS.draws),
      tune: within(BOUNDS.tune),
      n_samples: within(BOUNDS.n_samples),
      text_epochs: within(BOUNDS.text_epochs),
    })
    .meta({ description: 'What to send in place of the request’s own.' }),
  gives_up: z.array(z.string()).meta({ description: 'What is lost by it, in words.' }),
});

export const estimateSchema = z.object({
  seconds: spanSchema,
  memory_mb: z.int().meta({ description: 'Memory of the job’s process at its largest, in MB, about.' }),
  cost: costSchema,
  stages: z.array(z.object({ stage: z.enum(STAGES), seconds, why: z.string() })).meta({
    description: 'What the time goes to, in the order of the job; stages that it does not have are left out.',
  }),
  cheaper: cheaperPlanSchema
    .nullable()
    .meta({ description: 'A plan that takes less; null where none takes a fifth less.' }),
});

export type Span = z.infer<typeof spanSchema>;
export type Cost = z.infer<typeof costSchema>;
export type CheaperPlan = z.infer<typeof cheaperPlanSchema>;
export type Estimate = z.infer<typeof estimateSchema>;
