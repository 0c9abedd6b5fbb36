import { describe, expect, it } from 'vitest';
import { JobError, ServiceError } from '../../packages/contract/errors.ts';
import { type Case, failure, isCase } from '../../packages/contract/problems.ts';
import { FAILURES, JOB_ERROR_CODES, LOCAL_PROBLEMS, REFUSALS } from '../../packages/contract/reasons.ts';
import { problemText } from '../../packages/words/problems.ts';
import type { WayIn } from '../../packages/words/say.ts';

const VALUES: Readonly<Record<string, unknown>> = {
  text: 'abc',
  'text?': null,
  number: 2,
  'number?': 7,
  texts: ['a', 'b'],
  faults: [{ field: 'n_samples', rule: 'must be a whole number', found: '"x"' }],
  breaches: [{ rule: 'exact_copies', found: 3, allowed: 0 }],
  failure: failure({ reason: 'memory_limit' }),
};
const WAYS: readonly WayIn[] = ['http', 'page', 'cli', 'mcp', 'library'];

/** Every reason with params of the right kinds. */
const cases = [...Object.entries(REFUSALS), ...Object.entries(FAILURES), ...Object.entries(LOCAL_PROBLEMS)].flatMap(
  ([code, reasons]) =>
    Object.entries(reasons).map(([reason, shape]: [string, Readonly<Record<string, string>>]) => ({
      code,
      params: {
        ...Object.fromEntries(Object.entries(shape).map(([name, kind]) => [name, VALUES[kind]])),
        reason,
      },
    })),
);

describe('problemText', () => {
  it.each(WAYS)('says every reason in whole sentences to %s', (way) => {
    const broken = cases
      .map((problem) => problemText(problem, way, { jobId: 'j' }))
      .filter((text) => !/^["A-Za-z0-9-][\s\S]*[.:\w]$/.test(text) || /undefined|\[object|\.\.|;\.| {2}/.test(text));
    expect(broken).toEqual([]);
  });

  it.each(['cli', 'page', 'mcp', 'library'] as const)('names no call of HTTP to %s where a job fails', (way) => {
    const failures = cases.filter(({ code }) => JOB_ERROR_CODES.some((known) => known === code));
    const texts = failures.map((problem) => problemText(problem, way));
    expect(failures.length).toBeGreaterThan(20);
    expect(texts.filter((text) => /\b(GET|POST|DELETE)\b/.test(text))).toEqual([]);
  });

  it('says of a sample how to start that again', () => {
    const stopped = failure({ reason: 'service_stopped' });
    expect(problemText(stopped, 'http')).toContain('Send POST /generate again.');
    expect(problemText(stopped, 'http', { sampleOf: 'a' })).toContain('Send POST /sample/a again.');
    expect(problemText(stopped, 'cli')).toContain('Run the command again.');
    expect(problemText(stopped, 'mcp', { sampleOf: 'a' })).toContain('Call tables_sample again with job_id a.');
    expect(problemText(stopped, 'page')).toContain('Start again.');
  });

  it('names the field as the way in knows it, and not at all on the page', () => {
    const params: Case<'column_empty'> = { reason: 'column_empty', column: 'x', rows: 3 };
    const refused = new ServiceError(params, { field: 'target_col' });
    expect(problemText(refused, 'http')).toMatch(/^target_col: column "x" is empty/);
    expect(problemText(refused, 'cli')).toMatch(/^--target: column "x" is empty/);
    expect(problemText(refused, 'page')).toMatch(/^Column "x" is empty/);
  });

  it('shows the message of a reason that it does not know', () => {
    expect(problemText({ code: 'new', params: { reason: 'later' }, message: 'Later.' }, 'cli')).toBe('Later.');
    expect(problemText({ code: 'new' }, 'cli')).toBe('The service answered with the code new.');
  });
});

describe('params that are names', () => {
  const crashed = (work: string) => problemText(failure({ reason: 'thread_crashed', work }), 'cli');

  it('are said in words, and the words of earlier records as they are', () => {
    expect(crashed('sampling')).toMatch(/^A thread that sampled the regression crashed\./);
    expect(crashed('sampled the regression')).toBe(crashed('sampling'));
  });

  it('are said of every rule that a table breaks', () => {
    const breaches: Case<'rows_withheld'>['breaches'] = [
      { rule: 'exact_copies', found: 1, allowed: 0 },
      { rule: 'max_nearest_train_share_lower', found: null, allowed: 0.5 },
    ];
    const text = problemText(new ServiceError({ reason: 'rows_withheld', job_id: 'a', breaches }), 'http');
    expect(text).toMatch(/1 row of the table match.* the policy allows 0\. How much closer .* held-out rows\. /);
  });
});

describe('isCase', () => {
  it('takes params of their kinds alone', () => {
    expect(cases.every(({ params }) => isCase(params))).toBe(true);
    expect(isCase({ reason: 'quote_not_closed', line: '3' })).toBe(false);
    expect(isCase({ reason: 'quote_not_closed' })).toBe(false);
    expect(isCase({ reason: 'constructor' })).toBe(false);
    expect(isCase(null)).toBe(false);
  });
});

describe('errors', () => {
  it('have the code of their reason', () => {
    const refused = new ServiceError({ reason: 'slots_taken', max: 3, seconds: 5 });
    expect(refused).toMatchObject({ code: 'capacity_exceeded' });
    expect(new JobError({ reason: 'model_erased', job_id: 'a' })).toMatchObject({ code: 'invalid_data' });
  });

  it('have a reason under every code', () => {
    expect(Object.keys(FAILURES).sort()).toEqual([...JOB_ERROR_CODES].sort());
    expect([...Object.values(REFUSALS), ...Object.values(FAILURES)].every((of) => Object.keys(of).length > 0)).toBe(
      true,
    );
  });
});
