import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { SyntheticTables } from '../packages/client/client.ts';
import { JobFailedError, SyntheticTablesError } from '../packages/client/errors.ts';
import { fieldOf } from '../packages/contract/problems.ts';
import { clip } from '../packages/words/format.ts';
import { problemText } from '../packages/words/problems.ts';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface Answer<Output> {
  /** For the assistant. */
  text: string;
  /** For programs. */
  data: Output;
}

export interface ToolDefinition<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  run(
    service: SyntheticTables,
    input: z.output<z.ZodObject<Input>>,
    extra: Extra,
  ): Promise<Answer<z.input<z.ZodObject<Output>>>>;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  annotations: ToolAnnotations;
  /** Answers refusals as errors, so that the assistant learns what to do. */
  call(service: SyntheticTables, given: unknown, extra: Extra): Promise<CallToolResult>;
}

export function defineTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, title, description, annotations } = definition;
  const input = z.strictObject(definition.input);
  return {
    name,
    title,
    description,
    annotations,
    input,
    output: z.looseObject(definition.output),
    async call(service, given, extra) {
      try {
        return toResult(await definition.run(service, checked(name, input, given), extra));
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}

const toResult = <Output extends object>({ text, data }: Answer<Output>): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: Object.fromEntries(Object.entries(data)),
});

export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
export const ADDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
export const DESTROYS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

// Shortens answers to fit an assistant's context, unless asked for in full.

/** Characters of JSON. */
export const MAX_ANSWER = 10_000;

export const takesDetail = {
  detail: z
    .enum(['summary', 'full'])
    .default('summary')
    .describe(`full: everything, however long; summary by default: at most ${MAX_ANSWER} characters.`),
};

/** Shows the items that fit, and at least `least` of `count`. */
export function fitted<Output extends object>(
  count: number,
  build: (shown: number) => Answer<Output>,
  least = 1,
): Answer<Output> {
  const fits = (shown: number) => JSON.stringify(toResult(build(shown))).length <= MAX_ANSWER;
  if (fits(count)) return build(count);
  let [low, high] = [Math.min(least, count), count];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return build(low);
}

function checked<Input extends z.ZodRawShape>(tool: string, schema: z.ZodObject<Input>, given: unknown) {
  const found = schema.safeParse(given ?? {}, { error: ruleOf });
  if (found.success) return found.data;
  const { issues } = found.error;
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const faults = issues
    .filter(({ code }) => code !== 'unrecognized_keys')
    .map(({ path, message }) => ({ field: fieldOf(path), rule: message, found: null }));
  throw new ArgumentError({ reason: 'arguments_invalid', tool, faults, unknown, known: Object.keys(schema.shape) });
}

function ruleOf(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be of the type ${issue.expected}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${lengthOf(issue.origin)}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${lengthOf(issue.origin)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    default:
      return 'is not valid';
  }
}

const lengthOf = (origin: string): string =>
  origin === 'string' ? ' characters long' : origin === 'array' ? ' items long' : '';

export class ArgumentError extends SyntheticTablesError {
  override readonly name = 'ArgumentError';
  readonly code = 'invalid_arguments';

  constructor(params: SyntheticTablesError['params']) {
    super(params.reason, params);
  }
}

const contextOf = (error: SyntheticTablesError) =>
  error instanceof JobFailedError ? { jobId: error.jobId, sampleOf: error.sampleOf } : {};

/** Rethrows other errors. */
export function refusalOf(error: unknown): CallToolResult {
  if (!(error instanceof SyntheticTablesError)) throw error;
  const text = `${error.code}: ${problemText(error, 'mcp', contextOf(error))}`;
  return { isError: true, content: [{ type: 'text', text: clip(text, MAX_ANSWER / 2) }] };
}
