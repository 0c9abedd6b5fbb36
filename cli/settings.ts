import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { GenerateRequestBody } from '../packages/client/contract.ts';
import { TARGET_FAMILIES } from '../packages/contract/families.ts';
import { domainSchema } from '../packages/contract/privacy.ts';
import { type ReleasePolicy, readReleasePolicy } from '../packages/contract/releasePolicy.ts';
import { generateRequestSchema } from '../packages/contract/requests.ts';
import { SAMPLERS } from '../packages/numerics/regression/samplers.ts';
import { didYouMean } from '../packages/words/nearNames.ts';
import { CliError, misuse, systemFault } from './exitCodes.ts';
import type { OptionName } from './optionTable.ts';

type RoleField = 'job_id' | 'target_col' | 'target' | 'continuous_cols' | 'categorical_cols' | 'text_cols';
/** Omitted fields use the service's defaults. */
export type Settings = Partial<Omit<GenerateRequestBody, RoleField>>;

export interface Given {
  text(name: OptionName): string | undefined;
  on(name: OptionName): true | undefined;
}

/** Throws CliError (usage). */
export function settingsOf({ text, on }: Given): Settings {
  const whole = (name: OptionName) => numberOf(name, text(name), /^\d{1,16}$/, 'a whole number');
  const decimal = (name: OptionName) => numberOf(name, text(name), /^\d{0,3}\.?\d{1,16}$/, 'a number');
  return {
    entity_col: text('entity'),
    order_col: text('order'),
    n_entities: whole('entities'),
    n_samples: whole('rows'),
    seed: whole('seed'),
    draws: whole('draws'),
    tune: whole('tune'),
    text_epochs: whole('text-epochs'),
    text_temperature: decimal('temperature'),
    text_nucleus: decimal('nucleus'),
    family: oneOf('family', FAMILY_NAMES, text('family')),
    sampler: oneOf('sampler', SAMPLERS, text('sampler')),
    calibrate: on('no-calibrate') && false,
    keep_rare: on('keep-rare'),
    cross_fit: on('cross-fit'),
    allow_few_rows: on('allow-few-rows'),
    conditions: conditionsOf(text('conditions')),
    policy: policyOf(text('policy')),
    callback_url: text('callback'),
    ...privacyOf(text('epsilon'), text('delta')),
    ...domainOf(text('domain')),
  };
}

const wrong = (name: OptionName, said: string): CliError => misuse(`--${name} ${said}`);

function numberOf(name: OptionName, given: string | undefined, form: RegExp, words: string): number | undefined {
  if (given === undefined) return undefined;
  if (!form.test(given)) throw wrong(name, `must be ${words}; found ${JSON.stringify(given)}.`);
  return Number(given);
}

const FAMILY_NAMES = ['auto', ...TARGET_FAMILIES] as const;

function oneOf<Word extends string>(
  name: OptionName,
  words: readonly Word[],
  given: string | undefined,
): Word | undefined {
  const found = words.find((word) => word === given);
  if (given === undefined || found !== undefined) return found;
  const meant = didYouMean(given, words, (word) => word);
  throw wrong(name, `must be one of ${words.join(', ')}; found ${JSON.stringify(given)}.${meant}`);
}

/** JSON, or `@` and the path of a file. */
function contentOf(name: OptionName, given: string): string {
  if (!given.startsWith('@')) return given;
  const path = given.slice(1);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw wrong(name, `${JSON.stringify(path)} cannot be read: ${systemFault(cause)}.`);
  }
}

const EXAMPLE = '[{"column": "age", "between": [18, null]}]';

function conditionsOf(given: string | undefined): z.output<typeof generateRequestSchema>['conditions'] | undefined {
  if (given === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(contentOf('conditions', given));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw wrong('conditions', `is not valid JSON. It is a list such as '${EXAMPLE}', or @FILE with one.`);
  }
  const parsed = generateRequestSchema.shape.conditions.safeParse(value);
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues.map(({ path, message }) => {
    const [at, ...inside] = path;
    return `${at === undefined ? '' : `[${String(at)}]${inside.map((name) => `.${String(name)}`).join('')} `}${message}`;
  });
  throw misuse(`--conditions${found[0]?.startsWith('[') ? '' : ' '}${found.join('; ')}.`);
}

const NUMBER = /^\d{0,16}\.?\d{0,16}(e-?\d{1,2})?$/i;

function privacyOf(epsilon: string | undefined, delta: string | undefined): Pick<Settings, 'privacy'> {
  if (epsilon === undefined && delta !== undefined) throw wrong('delta', 'needs --epsilon.');
  const own = numberOf('epsilon', epsilon, NUMBER, 'a number');
  if (own === undefined) return {};
  return { privacy: { epsilon: own, delta: numberOf('delta', delta, NUMBER, 'a number') ?? null } };
}

const DOMAIN = '{"age": {"min": 17, "max": 90}, "sex": {"levels": ["F", "M"]}}';

/** JSON, or a path with or without `@`. */
function domainOf(given: string | undefined): Pick<Settings, 'domain'> {
  if (given === undefined) return {};
  const isText = /^\s*\{/.test(given) || given.startsWith('@');
  let value: unknown;
  try {
    value = JSON.parse(contentOf('domain', isText ? given : `@${given}`));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw wrong('domain', `is not valid JSON. It is an object such as '${DOMAIN}', or a file with one.`);
  }
  const parsed = domainSchema.safeParse(value);
  if (parsed.success) return { domain: parsed.data };
  const found = parsed.error.issues.map(
    ({ path, message }) => `${path.map((name) => `[${JSON.stringify(name)}]`).join('')} ${message}`,
  );
  throw wrong('domain', `${found.join('; ').trim()}.`);
}

function policyOf(given: string | undefined): ReleasePolicy | undefined {
  if (given === undefined) return undefined;
  const policy = readReleasePolicy(contentOf('policy', given).trim());
  if (typeof policy === 'string') throw wrong('policy', `${policy}.`);
  return policy;
}
