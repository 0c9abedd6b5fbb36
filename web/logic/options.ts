import type { UploadReply } from '../../packages/contract/replies.ts';
import type { GenerateRequestBody } from '../../packages/contract/requests.ts';
import { withCommas } from '../../packages/words/wording.ts';
import { conditionsFault, readConditions } from './conditions.ts';
import type { FamilyName, PageData, SamplerName } from './contract.ts';

const WHOLE_OPTIONS = ['n_samples', 'seed', 'draws', 'tune', 'text_epochs'] as const;
const DECIMAL_OPTIONS = ['text_temperature', 'text_nucleus'] as const;
export const NUMBER_OPTIONS = [...WHOLE_OPTIONS, ...DECIMAL_OPTIONS] as const;
export type NumberOption = (typeof NUMBER_OPTIONS)[number];

export const isWhole = (name: NumberOption): boolean => WHOLE_OPTIONS.some((one) => one === name);

export interface Options {
  /** Empty for none. */
  entity: string;
  order: string;
  /** As typed; empty to count rows. */
  entities: string;
  numbers: Record<NumberOption, string>;
  family: FamilyName;
  sampler: SamplerName;
  calibrate: boolean;
  keepRare: boolean;
  /** Otherwise the service decides. */
  crossFits: boolean;
  allowsFewRows: boolean;
  isStrict: boolean;
  /** JSON, or empty. */
  conditions: string;
  callback: string;
}

/** Requires no evidence of copying. */
const STRICT = { max_nearest_train_share_lower: 0.5, max_membership_auc_lower: 0.5, exact_copies: 0, verbatim_text: 0 };

export interface OptionWords {
  title: string;
  meaning: string;
}

export const OPTION_WORDS: Record<NumberOption, OptionWords> = {
  n_samples: { title: 'Rows to generate', meaning: 'Any number; it need not match your file.' },
  seed: {
    title: 'Seed',
    meaning: 'The same file, roles, options and seed give the same table. Leave empty for a random seed.',
  },
  draws: {
    title: 'Draws',
    meaning: 'Posterior draws per chain of the target model. More draws: more precise, slower.',
  },
  tune: { title: 'Tuning steps', meaning: 'Warm-up steps of the sampler, before draws are kept.' },
  text_epochs: {
    title: 'Text epochs',
    meaning: 'Passes of the language model over the texts. More epochs: closer to them, slower.',
  },
  text_temperature: {
    title: 'Temperature',
    meaning:
      'Sampling temperature of texts. Below 1 they are more regular; above 1 they vary more and have more errors.',
  },
  text_nucleus: {
    title: 'Top-p',
    meaning: 'Each next token of a text is drawn from the most likely ones that together have this probability.',
  },
};

export function firstOptions({ bounds }: PageData): Options {
  const start = (name: NumberOption) => String(bounds[name].default ?? '');
  return {
    entity: '',
    order: '',
    entities: '',
    numbers: {
      n_samples: start('n_samples'),
      seed: '',
      draws: start('draws'),
      tune: start('tune'),
      text_epochs: start('text_epochs'),
      text_temperature: start('text_temperature'),
      text_nucleus: start('text_nucleus'),
    },
    family: 'auto',
    sampler: 'auto',
    calibrate: true,
    keepRare: false,
    crossFits: false,
    allowsFewRows: false,
    isStrict: false,
    conditions: '',
    callback: '',
  };
}

/** Uses the suggested key and order, unless suggested as target. */
export function withSuggested(
  options: Options,
  { suggested_entity: entity, suggested_target: target }: Pick<UploadReply, 'suggested_entity' | 'suggested_target'>,
): Options {
  if (!entity || entity.column === target?.column) return options;
  const order = entity.order?.column ?? '';
  return { ...options, entity: entity.column, order: order === target?.column ? '' : order };
}

export function boundWords(name: NumberOption, { bounds }: PageData): string {
  const { min, max, default: usual } = bounds[name];
  if (name === 'seed') return 'A whole number, 0 or more.';
  const inWords = isWhole(name) ? withCommas : String;
  return `${inWords(min)} to ${inWords(max)}; default ${inWords(usual ?? min)}.`;
}

export function faultOf(name: NumberOption, typed: string, { bounds }: PageData): string | undefined {
  const { min, max } = bounds[name];
  if (typed.trim() === '' && name === 'seed') return undefined;
  const value = typed.trim() === '' ? Number.NaN : Number(typed);
  const isWithin = value >= min && value <= max;
  if (!isWhole(name)) return isWithin ? undefined : `Enter a number from ${min} to ${max}.`;
  if (isWithin && Number.isSafeInteger(value)) return undefined;
  return `Enter a whole number from ${withCommas(min)} to ${withCommas(max)}.`;
}

export function callbackFault(typed: string): string | undefined {
  if (typed.trim() === '' || URL.parse(typed.trim())?.protocol === 'https:') return undefined;
  return 'Enter an address that begins with https://, or leave this empty.';
}

export function entitiesFault(typed: string): string | undefined {
  if (typed.trim() === '' || (/^\d{1,7}$/.test(typed.trim()) && Number(typed) > 0)) return undefined;
  return 'Enter a whole number, 1 or more, or leave this empty.';
}

export const hasFault = (options: Options, data: PageData): boolean =>
  entitiesFault(options.entities) !== undefined ||
  NUMBER_OPTIONS.some((name) => faultOf(name, options.numbers[name], data) !== undefined) ||
  conditionsFault(options.conditions) !== undefined ||
  callbackFault(options.callback) !== undefined;

export function withPlan(options: Options, plan: Partial<Record<NumberOption, number | undefined>>): Options {
  const numbers = { ...options.numbers };
  for (const name of NUMBER_OPTIONS) if (plan[name] !== undefined) numbers[name] = String(plan[name]);
  return { ...options, numbers };
}

/** Omits irrelevant options. */
export function optionFields(
  options: Options,
  applies: { target: boolean; text: boolean },
): Omit<GenerateRequestBody, 'job_id'> {
  const { n_samples, seed, draws, tune, text_epochs, text_temperature, text_nucleus } = options.numbers;
  return {
    n_samples: Number(n_samples),
    ...(options.entity !== '' && entityFields(options)),
    keep_rare: options.keepRare,
    ...(options.crossFits && { cross_fit: true }),
    ...(options.allowsFewRows && { allow_few_rows: true }),
    ...(options.conditions.trim() !== '' && { conditions: readConditions(options.conditions) ?? [] }),
    ...(options.isStrict && { policy: STRICT }),
    ...(seed.trim() !== '' && { seed: Number(seed) }),
    ...(applies.target && {
      family: options.family,
      draws: Number(draws),
      tune: Number(tune),
      sampler: options.sampler,
      calibrate: options.calibrate,
    }),
    ...(applies.text && {
      text_epochs: Number(text_epochs),
      text_temperature: Number(text_temperature),
      text_nucleus: Number(text_nucleus),
    }),
  };
}

function entityFields({ entity, order, entities }: Options) {
  return {
    entity_col: entity,
    ...(order !== '' && { order_col: order }),
    ...(entities.trim() !== '' && { n_entities: Number(entities) }),
  };
}
