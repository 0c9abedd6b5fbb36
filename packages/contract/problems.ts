/** Refusals and failures as data: `params.reason` names the exact case. `packages/words/problems.ts` words them. */
import { HELD_OUT_RULES } from './heldOutRules.ts';
import {
  type ErrorCode,
  FAILURES,
  type FailureReason,
  type JobErrorCode,
  LOCAL_PROBLEMS,
  type ParamKind,
  REFUSALS,
  type Reason,
  type RefusalReason,
  type Shape,
  type Shapes,
} from './reasons.ts';
import type { PolicyBreach } from './releasePolicy.ts';

/** A field that violates its schema: the rule, and what was found (JSON, or null). */
export interface FieldFault {
  field: string;
  rule: string;
  found: string | null;
}

/** Formats a path: `conditions[0].rows`. */
export const fieldOf = (path: readonly PropertyKey[]): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : (i ? '.' : '') + String(step))).join('');

export type FileFormat =
  | ('gzip' | 'bzip2' | 'xz' | 'zstd' | '7z' | 'rar' | 'tar' | 'zip')
  | ('pdf' | 'rtf' | 'html' | 'xml' | 'json' | 'word' | 'powerpoint' | 'visio' | 'outlook')
  | ('parquet' | 'arrow' | 'sqlite' | 'hdf5' | 'spss' | 'stata' | 'xlsb' | 'opendocument' | 'numbers')
  | ('png' | 'jpeg');

export type JsonKind = 'null' | 'array' | 'string' | 'number' | 'boolean';

export type ThreadWork = 'sampling' | 'copula' | 'trees' | 'draws' | 'metrics';

/** Minimum count of affected rows or values that a problem may reveal. */
export const MIN_COUNT = 20;

interface ParamOf {
  text: string;
  'text?': string | null;
  number: number;
  'number?': number | null;
  texts: readonly string[];
  faults: readonly FieldFault[];
  breaches: readonly PolicyBreach[];
  failure: JobFailure;
}

/** Params of a reason, including the reason. */
export type Case<R extends Reason = Reason> = {
  [K in R]: { reason: K } & {
    -readonly [P in keyof Shapes[K]]: Shapes[K][P] extends ParamKind ? ParamOf[Shapes[K][P]] : never;
  };
}[R];

/** A problem as sent; later versions may add reasons. */
export interface Problem {
  code: string;
  field?: string | undefined;
  params: { reason: string; [param: string]: unknown };
}

export interface JobFailure extends Problem {
  code: JobErrorCode;
}

const invert = <Code extends string>(table: Record<Code, Record<string, Shape>>): Map<string, Code> =>
  new Map(keysOf(table).flatMap((code) => Object.keys(table[code]).map((reason) => [reason, code])));

const keysOf = <Key extends string>(table: Record<Key, unknown>): Key[] =>
  Object.keys(table).filter((key): key is Key => Object.hasOwn(table, key));

const CODE_OF_REFUSAL = invert<ErrorCode>(REFUSALS);
const CODE_OF_FAILURE = invert<JobErrorCode>(FAILURES);

/** @throws RangeError for an unknown reason. */
export const refusalCode = (reason: RefusalReason): ErrorCode => codeOf(CODE_OF_REFUSAL, reason);
export const failureCode = (reason: FailureReason): JobErrorCode => codeOf(CODE_OF_FAILURE, reason);

function codeOf<Code>(codes: ReadonlyMap<string, Code>, reason: string): Code {
  const code = codes.get(reason);
  if (code === undefined) throw new RangeError(`no reason ${reason}`);
  return code;
}

export function failure(params: Case<FailureReason>, field?: string): JobFailure {
  return { code: failureCode(params.reason), ...(field !== undefined && { field }), params };
}

const SHAPES: Readonly<Record<string, Shape>> = Object.assign(
  {},
  ...Object.values(REFUSALS),
  ...Object.values(FAILURES),
  ...Object.values(LOCAL_PROBLEMS),
);

/** Whether this version knows the reason and its params. */
export function isCase(params: unknown): params is Case {
  if (!isRecord(params) || typeof params.reason !== 'string' || !Object.hasOwn(SHAPES, params.reason)) return false;
  return Object.entries(SHAPES[params.reason] ?? {}).every(([name, kind]) => IS_KIND[kind](params[name]));
}

/** Whether the reason belongs to a code that answers a request. */
export const isRefusal = (params: unknown): params is Case<RefusalReason> =>
  isCase(params) && CODE_OF_REFUSAL.has(params.reason);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const RULES: readonly unknown[] = [
  'exact_copies',
  'verbatim_text',
  ...HELD_OUT_RULES,
  'few_rows',
] satisfies PolicyBreach['rule'][];
const isRule = (value: unknown): boolean => RULES.includes(value);
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isListOf = (value: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(is);

const IS_KIND: Readonly<Record<ParamKind, (value: unknown) => boolean>> = {
  text: isText,
  'text?': (value) => value === null || isText(value),
  number: isNumber,
  'number?': (value) => value === null || isNumber(value),
  texts: (value) => isListOf(value, isText),
  faults: (value) =>
    isListOf(
      value,
      (item) => isRecord(item) && isText(item.field) && isText(item.rule) && IS_KIND['text?'](item.found),
    ),
  breaches: (value) =>
    isListOf(
      value,
      (item) => isRecord(item) && isRule(item.rule) && IS_KIND['number?'](item.found) && isNumber(item.allowed),
    ),
  failure: (value) => isRecord(value) && isText(value.code) && isRecord(value.params) && isText(value.params.reason),
};
