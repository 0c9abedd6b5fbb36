/** What assistants are answered about a wide table fits into their context, and what they ask wrongly is named. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../api/app.ts';
import { createServer } from '../../mcp/createServer.ts';
import { STDIO_TOOLS } from '../../mcp/stdioTools.ts';
import { MAX_ANSWER } from '../../mcp/tool.ts';
import { SyntheticTables } from '../../packages/client/client.ts';
import type { JobEvent } from '../../packages/contract/events.ts';
import { generateRequestSchema } from '../../packages/contract/requests.ts';
import type { Judgement } from '../../packages/contract/verdicts.ts';
import { encodeProfile } from '../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { resultKey } from '../../service/job/objectKeys.ts';
import { bytesOf } from '../support/bytes.ts';
import { eventOf, METRICS, newJob, RECEIPT } from '../support/jobFixtures.ts';
import { KEY, memoryService } from '../support/memoryService.ts';

const NAMES = Array.from({ length: 200 }, (_, i) => `measured_attribute_number_${i}`);
const cellOf = (row: number, column: number): string =>
  column % 3 === 0 ? `level ${(row * 7 + column) % 4}` : String(((row * 37 + column * 11) % 101) / 4);
const rowsOf = (count: number, cell: (row: number, column: number) => string): string =>
  Array.from({ length: count }, (_, row) => NAMES.map((_name, column) => cell(row, column)).join(',')).join('\n');
const TABLE = `${NAMES.join(',')}\n${rowsOf(60, cellOf)}\n`;
const RESULT = `${NAMES.join(',')}\n${rowsOf(60, (row, column) => `${cellOf(row, column)} ${'and so on '.repeat(20)}`)}\n`;

const SENTENCES = NAMES.map((name) => `Column "${name}" differs by more than real rows differ from each other.`);
const verdictOf = (area: Judgement['area']): Judgement => ({
  area,
  grade: 'mixed',
  headline: 'The synthetic rows resemble the real ones.',
  sentences: SENTENCES,
  next: [{ action: 'check_role', column: NAMES[0] ?? '', text: 'Check the role of the column.' }],
  inherited: false,
});
const FINISHED = {
  ...METRICS,
  columns: NAMES,
  notes: SENTENCES,
  verdicts: (['likeness', 'usefulness', 'privacy', 'text', 'model'] as const).map(verdictOf),
};
const EVENTS: JobEvent[] = Array.from({ length: 400 }, (_, i) => eventOf(i));

const resultSchema = z.object({
  content: z.array(z.object({ text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

const service = memoryService(
  { reader: { profile: async () => encodeProfile(await profileUpload(bytesOf(TABLE), 'wide.csv')) } },
  1e7,
);
const client = new Client({ name: 'test', version: '1' });

async function call(name: string, given: Record<string, unknown>) {
  const found = resultSchema.parse(await client.callTool({ name, arguments: given }));
  const text = found.content.map((part) => part.text).join('\n');
  return {
    text,
    data: found.structuredContent ?? {},
    isError: found.isError ?? false,
    size: JSON.stringify(found).length,
  };
}

let uploaded = '';

beforeAll(async () => {
  const app = createApp(service, { corsOrigins: [] });
  const over = new SyntheticTables({
    url: 'http://localhost',
    key: KEY,
    retries: 0,
    fetch: async (address, init) => app.fetch(new Request(address, init)),
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createServer(over, '1', STDIO_TOOLS).connect(theirs);
  await client.connect(ours);
  const request = generateRequestSchema.parse({ job_id: 'wide', target: 'none', categorical_cols: NAMES });
  for (const [i, id] of ['wide', ...Array.from({ length: 30 }, (_, n) => `other-${n}`)].entries()) {
    service.records.set(id, {
      ...newJob(id, `${'a long name of a file '.repeat(8)}.csv`),
      keyId: `id-of-${KEY}`,
      state: 'done',
      attempt: 1,
      request,
      progress: EVENTS,
      metrics: FINISHED,
      receipt: RECEIPT,
      startedAt: `2026-11-03T09:00:${10 + i}.000Z`,
      endedAt: `2026-11-03T09:01:${10 + i}.000Z`,
      releasedAt: null,
      error: null,
      queuedAt: null,
      estimate: null,
    });
  }
  service.files.set(resultKey('wide', 1), new TextEncoder().encode(RESULT));
  uploaded = z.object({ job_id: z.string() }).parse((await call('tables_upload', { text: TABLE })).data).job_id;
});

afterAll(() => client.close());

/** Every tool, on the wide table; those that read and write files of this machine answer with what others answer. */
const CALLS: Record<string, () => Record<string, unknown>> = {
  tables_upload: () => ({ text: TABLE }),
  tables_upload_file: () => ({ path: '/nowhere.csv' }),
  tables_inspect: () => ({ job_id: uploaded, examples: true }),
  tables_detect_family: () => ({ job_id: uploaded, target_col: NAMES[1] }),
  tables_estimate: () => ({ job_id: uploaded, auto: true }),
  tables_generate: () => ({ job_id: uploaded, auto: true }),
  tables_status: () => ({ job_id: 'wide' }),
  tables_sample: () => ({ job_id: 'wide', rows: 10 }),
  tables_compare: () => ({ job_id: 'wide', real_job_id: uploaded, target_col: NAMES[1] }),
  tables_read_report: () => ({ job_id: 'wide' }),
  tables_read_rows: () => ({ job_id: 'wide', limit: 200 }),
  tables_list_jobs: () => ({}),
  tables_save_file: () => ({ job_id: 'wide', path: '/nowhere/copy.csv' }),
  tables_cancel_job: () => ({ job_id: 'wide' }),
  tables_erase_job: () => ({ job_id: 'other-1' }),
};

/** Nothing is there to write to or to read from, and a job that is done can neither be stopped nor, without a model, sampled. */
const REFUSED = ['tables_upload_file', 'tables_save_file', 'tables_cancel_job', 'tables_sample', 'tables_compare'];

describe('on a table of 200 columns', () => {
  it('knows a call of every tool', () => {
    expect(Object.keys(CALLS).sort()).toEqual(STDIO_TOOLS.map(({ name }) => name).sort());
  });

  it.each(Object.keys(CALLS))('%s answers with at most 10,000 characters', async (name) => {
    const answer = await call(name, CALLS[name]?.() ?? {});
    expect(answer.size).toBeLessThanOrEqual(MAX_ANSWER);
    expect(answer.isError, answer.text).toBe(REFUSED.includes(name));
    expect(answer.text).not.toMatch(/\b(GET|POST|DELETE) \//);
  });

  it('inspects all columns page by page, in their order, or those that are named', async () => {
    const pageSchema = z.object({ columns: z.array(z.object({ name: z.string() })), next_offset: z.int().nullable() });
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const page = pageSchema.parse((await call('tables_inspect', { job_id: uploaded, offset })).data);
      seen.push(...page.columns.map(({ name }) => name));
      offset = page.next_offset;
    }
    expect(seen).toEqual(NAMES);
    const named = await call('tables_inspect', { job_id: uploaded, columns: [NAMES[150]] });
    expect(named.data).toMatchObject({ columns: [{ name: NAMES[150] }], column_count: 200 });
    const whole = await call('tables_inspect', { job_id: uploaded, detail: 'full' });
    expect(whole.data).toMatchObject({ columns: { length: 200 }, next_offset: null });
  });

  it('reads rows on from where an answer ended, with whole cells where they are asked for', async () => {
    const some = await call('tables_read_rows', { job_id: 'wide', columns: [NAMES[1]], limit: 40 });
    const { rows, more } = z.object({ rows: z.array(z.array(z.string())), more: z.boolean() }).parse(some.data);
    expect([rows.length > 5, rows.length < 40, more]).toEqual([true, true, true]);
    const next = await call('tables_read_rows', { job_id: 'wide', columns: [NAMES[1]], offset: rows.length, limit: 1 });
    expect(next.data.rows).toEqual([[`${cellOf(rows.length, 1)} ${'and so on '.repeat(20)}`]]);
    const all = await call('tables_read_rows', { job_id: 'wide', limit: 2, detail: 'full' });
    expect(all.data).toMatchObject({ columns: NAMES, rows: { length: 2 }, left_out: 0, cells_cut: false });
  });

  it('gives every metric and line of progress where they are asked for in full', async () => {
    const report = await call('tables_read_report', { job_id: 'wide', detail: 'full' });
    expect(report.data).toMatchObject({ metrics: { notes: SENTENCES, columns: NAMES }, judgements: { length: 5 } });
    const short = await call('tables_read_report', { job_id: 'wide' });
    expect(short.text).toContain('Next: Check the role of the column.');
    const status = await call('tables_status', { job_id: 'wide', detail: 'full' });
    expect(status.data).toMatchObject({ status: 'done', progress: { length: 400 } });
  });
});

describe('what an assistant asks wrongly', () => {
  it.each([
    [
      'tables_generate',
      { n_sample: 5 },
      /^invalid_arguments: tables_generate has no argument "n_sample"\. Did you mean "n_samples"\?/,
    ],
    ['tables_read_rows', { job_id: 'wide', limit: 201 }, /limit must be at most 200\./],
    ['tables_status', {}, /job_id is missing\./],
    ['tables_generate', { job_id: 'a', n_samples: 0 }, /n_samples must be a whole number from 1 to 1000000\./],
    [
      'tables_read_rows',
      { job_id: 'wide', columns: ['measured_attribute_number_7_'] },
      /no column "measured.*Did you mean "measured_attribute_number_7"\?/,
    ],
    ['generate', {}, /There is no tool "generate"\..* The tools are tables_upload/],
    ['table_generate', {}, /Did you mean "tables_generate"\?/],
    ['tables_list_jobs', { after: 'x' }, /after is not the `next` of an earlier answer/],
    ['tables_upload', { file_name: '', text: 'a\n1\n' }, /file_name must be at least 1 characters long\./],
    ['tables_status', { job_id: 'nobody' }, /^invalid_job: /],
    ['tables_generate', { job_id: 'wide', target_col: NAMES[1] }, /^job_conflict: /],
  ])('%s %j is named in the words of tools', async (name, given, said) => {
    const answer = await call(name, given);
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(said) });
    expect(answer.text).not.toMatch(/\b(GET|POST|DELETE) \/|curl|multipart/);
  });
});

describe('the tools', () => {
  it('have names with one prefix, all four hints, and arguments that are strict', async () => {
    const { tools } = await client.listTools();
    for (const { name, annotations, inputSchema } of tools) {
      expect(name).toMatch(/^tables_[a-z_]+$/);
      expect(Object.keys(annotations ?? {})).toEqual(
        expect.arrayContaining(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']),
      );
      expect(inputSchema.additionalProperties, name).toBe(false);
    }
  });

  it('name each other as they are called, in descriptions, answers and instructions', () => {
    const names = new Set(STDIO_TOOLS.map(({ name }) => name));
    const said = `${client.getInstructions()} ${STDIO_TOOLS.map(({ description }) => description).join(' ')}`;
    const named = said.match(/\btables_\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
    expect(client.getInstructions()?.length).toBeLessThan(400);
  });
});
