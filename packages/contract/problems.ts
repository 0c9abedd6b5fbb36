/**
 * Every refusal and failure as data: `{ code, field?, params }`. The code is the contract's; `params.reason` names the
 * exact case, and the other params hold what was found. `reasons.ts` lists the codes and reasons; words for them are in
 * `packages/words/problems.ts`.
 */
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

/** A field of a request that breaks its schema: what it must be, and what was found (as JSON; null where nothing was). */
export interface FieldFault {
  field: string;
  rule: string;
  found: string | null;
}

/** The path of a fault as a field: `conditions[0].rows`. */
export const fieldOf = (path: readonly PropertyKey[]): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : (i ? '.' : '') + String(step))).join('');

/** Files that are no table, as `file_format_foreign` names them. */
export type FileFormat =
  | ('gzip' | 'bzip2' | 'xz' | 'zstd' | '7z' | 'rar' | 'tar' | 'zip')
  | ('pdf' | 'rtf' | 'html' | 'xml' | 'json' | 'word' | 'powerpoint' | 'visio' | 'outlook')
  | ('parquet' | 'arrow' | 'sqlite' | 'hdf5' | 'spss' | 'stata' | 'xlsb' | 'opendocument' | 'numbers')
  | ('png' | 'jpeg');

/** Kinds of JSON that are no object, as `body_not_object` names them. */
export type JsonKind = 'null' | 'array' | 'string' | 'number' | 'boolean';

/** What a worker thread did, as `thread_crashed` names it. */
export type ThreadWork = 'sampling' | 'copula' | 'trees' | 'draws' | 'metrics';

/** The smallest number of a table's rows or values with something particular that a problem says. */
export const MIN_COUNT = 20;

/** The type of a param, by its kind. */
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

/** The params of a reason, the reason among them. */
export type Case<R extends Reason = Reason> = {
  [K in R]: { reason: K } & {
    -readonly [P in keyof Shapes[K]]: Shapes[K][P] extends ParamKind ? ParamOf[Shapes[K][P]] : never;
  };
}[R];

/** As it crosses a wire: a later version may have reasons that this one does not know. */
export interface Problem {
  code: string;
  /** The field of the request that it is about. */
  field?: string | undefined;
  params: { reason: string; [param: string]: unknown };
}

/** How a job failed, as its record keeps it. */
export interface JobFailure extends Problem {
  code: JobErrorCode;
}

const invert = <Code extends string>(table: Record<Code, Record<string, Shape>>): Map<string, Code> =>
  new Map(keysOf(table).flatMap((code) => Object.keys(table[code]).map((reason) => [reason, code])));

const keysOf = <Key extends string>(table: Record<Key, unknown>): Key[] =>
  Object.keys(table).filter((key): key is Key => Object.hasOwn(table, key));

const CODE_OF_REFUSAL = invert<ErrorCode>(REFUSALS);
const CODE_OF_FAILURE = invert<JobErrorCode>(FAILURES);

/** Throws RangeError for a reason that is none: the types do not allow one. */
export const refusalCode = (reason: RefusalReason): ErrorCode => codeOf(CODE_OF_REFUSAL, reason);
export const failureCode = (reason: FailureReason): JobErrorCode => codeOf(CODE_OF_FAILURE, reason);

function codeOf<Code>(codes: ReadonlyMap<string, Code>, reason: string): Code {
  const code = codes.get(reason);
  if (code === undefined) throw new RangeError(`no reason ${reason}`);
  return code;
}

/** A job's failure as data. */
export function failure(params: Case<FailureReason>, field?: string): JobFailure {
  return { code: failureCode(params.reason), ...(field !== undefined && { field }), params };
}

const SHAPES: Readonly<Record<string, Shape>> = Object.assign(
  {},
  ...Object.values(REFUSALS),
  ...Object.values(FAILURES),
  ...Object.values(LOCAL_PROBLEMS),
);

/** True for params of a reason that this version knows, each of its kind: what came over a wire may be of another version. */
export function isCase(params: unknown): params is Case {
  if (!isRecord(params) || typeof params.reason !== 'string' || !Object.hasOwn(SHAPES, params.reason)) return false;
  return Object.entries(SHAPES[params.reason] ?? {}).every(([name, kind]) => IS_KIND[kind](params[name]));
}

/** True for params of a reason under the codes that answer a request. */
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
