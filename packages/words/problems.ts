/** Refusals and failures in words: what was found, and what to do next in the way in that is read. */
import { type Case, isCase, type JobFailure, type Problem } from '../contract/problems.ts';
import type { Reason } from '../contract/reasons.ts';
import { JOB_TEXTS } from './problemTexts/jobTexts.ts';
import { REQUEST_TEXTS } from './problemTexts/requestTexts.ts';
import { UPLOAD_TEXTS } from './problemTexts/uploadTexts.ts';
import { clause, faultText, type ProblemContext, type Say, sayIn, type Texts, type WayIn } from './say.ts';

/** `message` is the fallback for unknown reasons. */
export type ReceivedProblem = Omit<Problem, 'params'> & { params?: unknown; message?: string };

/** One to three sentences, prefixed with the field except on the page. */
export function problemText(problem: ReceivedProblem, way: WayIn, context: ProblemContext = {}): string {
  const { code, field, params, message } = problem;
  if (!isCase(params)) return message ?? `The service answered with the code ${code}.`;
  const say = sayIn(way, context);
  const text = inWords(way === 'mcp' ? withoutCells(params) : params, say);
  if (field === undefined || way === 'page' || NAMES_FIELDS.has(params.reason)) return text;
  return `${say.field(field)}: ${clause(text)}`;
}

/** Replies to assistants leave the machine, so cells and row numbers must not. */
function withoutCells(params: Case): Case {
  switch (params.reason) {
    case 'family_cannot_hold':
      return { ...params, value: null, row: null };
    case 'condition_level_unknown':
      return { ...params, near: [], levels: [] };
    case 'condition_out_of_range':
      return { ...params, low: '', high: '' };
    default:
      return params;
  }
}

/** `error` of a failed job over HTTP. */
export const failureReply = (failure: JobFailure, context: ProblemContext): JobFailure & { message: string } => ({
  ...failure,
  message: problemText(failure, 'http', context),
});

/** A field such as `conditions`, and its part, such as `conditions[0].rows`. */
export interface FieldText {
  field: string;
  part: string;
  text: string;
}

export function fieldTexts(problem: ReceivedProblem, way: WayIn): FieldText[] {
  const { field, params } = problem;
  const of = (name: string) => /^\w*/.exec(name)?.[0] ?? name;
  if (isCase(params) && params.reason === 'fields_invalid') {
    const say = sayIn(way);
    return params.faults.map((fault) => ({
      field: of(fault.field),
      part: fault.field,
      text: faultText(say)(fault),
    }));
  }
  return field === undefined ? [] : [{ field: of(field), part: field, text: problemText(problem, way) }];
}

const inWords = <R extends Reason>(params: Case<R>, say: Say): string => TEXTS[params.reason](params, say);

/** Reasons whose texts already name the fields. */
const NAMES_FIELDS: ReadonlySet<Reason> = new Set([
  'fields_invalid',
  'query_invalid',
  'conditions_contradict',
  'too_few_rows',
]);

const TEXTS: Texts = {
  ...REQUEST_TEXTS,
  ...UPLOAD_TEXTS,
  ...JOB_TEXTS,
  job_failed: ({ job_id, failure }, say) =>
    `Job ${job_id} failed (${failure.code}). ${problemText(failure, say.way, say.context)}`,
};
