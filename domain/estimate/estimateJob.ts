/** What a job would take: seconds, memory, and a plan that takes less. */
import type { Profile } from '../profile/profile.ts';
import type { CheaperPlan, Cost, Estimate, Span } from '../schema/estimate.ts';
import type { GenerateRequest } from '../schema/generateRequest.ts';
import { counted, withCommas } from '../table/wording.ts';
import { type MachinePrices, priceOf } from './prices.ts';
import { type JobSize, sizeOf } from './sizes.ts';
import { memoryOf, type StageCost, stagesOf } from './stages.ts';

/** Most jobs take between these times the expected seconds. */
const LOW = 0.5;
const HIGH = 2;

/** A field is worth changing where that saves this share of the whole, and a plan where it saves that much in all. */
const WORTH_A_FIELD = 0.08;
const WORTH_A_PLAN = 0.2;

/** What a cheaper plan does not go below: draws that tell whether chains agree, rows that metrics can be had of. */
const ENOUGH = { draws: 400, tune: 500, n_samples: 1000, text_epochs: 1 } as const;

/** From the profile alone: no cell but those of its sample is read. `request` has passed `checkRequest`. */
export function estimateJob(profile: Profile, request: GenerateRequest, prices: MachinePrices | null = null): Estimate {
  const size = sizeOf(profile, request);
  const stages = stagesOf(size);
  const costOf = (seconds: number) => costIn(prices, seconds, request.text_cols.length > 0);
  return {
    seconds: spanOf(sum(stages)),
    memory_mb: memoryOf(size),
    cost: costOf(sum(stages)),
    stages: stages.map((own) => ({ ...own, seconds: rounded(own.seconds) })),
    cheaper: cheaperPlan(size, costOf),
  };
}

interface Saving {
  fields: CheaperPlan['fields'];
  size: Partial<JobSize>;
  loses: string;
}

/** Each field is taken down where that alone saves enough; fewer draws may cost more, where they bring chains back. */
function cheaperPlan(size: JobSize, costOf: (seconds: number) => Cost): CheaperPlan | null {
  const whole = sum(stagesOf(size));
  let [least, now] = [whole, size];
  const fields: CheaperPlan['fields'] = {};
  const gives_up: string[] = [];
  for (const saving of savingsOf(size)) {
    const next = { ...now, ...saving.size };
    const seconds = sum(stagesOf(next));
    if (least - seconds < WORTH_A_FIELD * whole) continue;
    [least, now] = [seconds, next];
    Object.assign(fields, saving.fields);
    gives_up.push(saving.loses);
  }
  if (whole - least < WORTH_A_PLAN * whole) return null;
  return { seconds: spanOf(least), cost: costOf(least), fields, gives_up };
}

function savingsOf({ draws, tune, made, epochs }: JobSize): Saving[] {
  const savings: Saving[] = [];
  if (draws > ENOUGH.draws || tune > ENOUGH.tune) {
    const fewer = { draws: Math.min(draws, ENOUGH.draws), tune: Math.min(tune, ENOUGH.tune) };
    const loses = `${counted(fewer.draws, 'draw')} a chain in place of ${withCommas(draws)}: intervals of the target's coefficients are less sharp`;
    savings.push({ fields: fewer, size: fewer, loses });
  }
  if (epochs > ENOUGH.text_epochs) {
    const text_epochs = Math.max(ENOUGH.text_epochs, Math.floor(epochs / 3));
    const loses = `${counted(text_epochs, 'pass', 'passes')} over the texts (text_epochs) in place of ${epochs}: they read less well`;
    savings.push({ fields: { text_epochs }, size: { epochs: text_epochs }, loses });
  }
  if (made > ENOUGH.n_samples) {
    const loses = `${counted(ENOUGH.n_samples, 'row')} in place of ${withCommas(made)}`;
    savings.push({ fields: { n_samples: ENOUGH.n_samples }, size: { made: ENOUGH.n_samples }, loses });
  }
  return savings;
}

/** To a hundredth of a cent. */
const costIn = (prices: MachinePrices | null, seconds: number, hasText: boolean): Cost =>
  prices && { usd: Math.round(10_000 * priceOf(prices, seconds, hasText)) / 10_000, assumes: prices.assumes };

const sum = (stages: readonly StageCost[]): number => stages.reduce((total, { seconds }) => total + seconds, 0);

const spanOf = (expected: number): Span => ({
  expected: rounded(expected),
  low: rounded(LOW * expected),
  high: rounded(HIGH * expected),
});

/** Tenths of a second below ten, whole ones above. */
const rounded = (value: number): number => (value < 10 ? Math.ceil(10 * value) / 10 : Math.round(value));
