import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const deployment = useDeployment();
const open: Client[] = [];

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

/** An assistant, as the SDK's own client is one. */
async function connect(headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  // Its type says that a session id may be undefined, which the SDK's own interface does not.
  const transport = new StreamableHTTPClientTransport(new URL(`${deployment.url}/mcp`), { requestInit: { headers } });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  open.push(client);
  return client;
}

const resultSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

async function call(client: Client, name: string, args: Record<string, unknown>, lines?: string[]) {
  const onprogress = ({ message }: { message?: string | undefined }) => void lines?.push(message ?? '');
  const result = await client.callTool({ name, arguments: args }, undefined, lines ? { onprogress } : {});
  const { content, structuredContent = {}, isError = false } = resultSchema.parse(result);
  return { text: content.map(({ text }) => text).join('\n'), data: structuredContent, isError };
}

const SHORT = { n_samples: 30, draws: 100, tune: 100, text_epochs: 1, seed: 7 };

describe('POST /mcp', () => {
  it('makes a synthetic table for an assistant that uploads one as text, telling it of progress', async () => {
    const client = await connect({ 'X-API-Key': deployment.key });
    const upload = await call(client, 'tables_upload', { text: housesCsv(60) });
    const { job_id } = z.object({ job_id: z.string() }).parse(upload.data);
    expect(upload.text).toContain('"price": continuous, suggested role');
    expect(await call(client, 'tables_inspect', { job_id })).toEqual(upload);
    expect(upload.text).not.toMatch(/row \d|from [\d.]+ to [\d.]+,/);
    const cells = housesCsv(60)
      .split('\n')
      .slice(1, 9)
      .flatMap((line) => line.split(',').filter((cell) => /[ .]/.test(cell)));
    expect(cells.filter((cell) => JSON.stringify(upload).includes(cell))).toEqual([]);
    expect(upload.data).toMatchObject({ suggested_target: { column: 'price' } });
    expect((await call(client, 'tables_inspect', { job_id, examples: true })).text).toMatch(
      /such as "\d+.*" \(row 1\)/,
    );
    const family = await call(client, 'tables_detect_family', { job_id, target_col: 'price' });
    expect(family.data).toMatchObject({ family: expect.stringMatching(/^\w+$/) });
    const estimated = await call(client, 'tables_estimate', {
      job_id,
      auto: true,
      target_col: 'price',
      n_samples: 90_000,
    });
    expect(estimated.text).toMatch(
      /^About [\d.]+ s .* [\d.]+ CPU seconds, .* MB.*A cheaper plan takes about .*"n_samples":1000/,
    );
    expect(estimated.data).toMatchObject({ roles: { target: 'price' }, cheaper: { fields: { n_samples: 1000 } } });
    const started = await call(client, 'tables_generate', { job_id, auto: true, target_col: 'price', ...SHORT });
    expect(started.data).toMatchObject({ status: 'started', roles: { target: 'price' } });
    const lines: string[] = [];
    const ended = await call(client, 'tables_status', { job_id, wait_seconds: 50 }, lines);
    expect(ended.data).toMatchObject({ status: 'done', ended: true });
    expect(lines.at(-1)).toMatch(/Pipeline finished/);
    const rows = await call(client, 'tables_read_rows', { job_id, offset: 25, limit: 10 });
    expect(rows.data).toMatchObject({ rows: expect.objectContaining({ length: 5 }), more: false });
    expect(rows.text.split('\n')).toHaveLength(6);
    const report = await call(client, 'tables_read_report', { job_id });
    expect(report.data).toMatchObject({ metrics: { rows_generated: 30, seed: 7 } });
    expect(report.text).toContain('R² of the target');

    const sample = await call(client, 'tables_sample', { job_id, rows: 8, seed: 2 });
    expect(sample.data).toMatchObject({ status: 'started', sample_of: job_id });
    const more = z.object({ job_id: z.string() }).parse(sample.data).job_id;
    expect((await call(client, 'tables_status', { job_id: more, wait_seconds: 50 })).data).toMatchObject({
      status: 'done',
    });
    expect((await call(client, 'tables_read_rows', { job_id: more })).data).toMatchObject({ rows: { length: 8 } });
    await call(client, 'tables_erase_job', { job_id: more });

    const { resources } = await client.listResources();
    const uri = `synthetic-tables://jobs/${job_id}/synthetic_data.csv`;
    expect(resources.map((resource) => resource.uri)).toContain(uri);
    const downloaded = await deployment.send('GET', `/download/${job_id}`);
    expect((await client.readResource({ uri })).contents).toEqual([
      { uri, mimeType: 'text/csv', text: downloaded.text },
    ]);
    const columns = await client.readResource({ uri: `synthetic-tables://jobs/${job_id}/columns.json` });
    expect(JSON.parse(z.array(z.object({ text: z.string() })).parse(columns.contents)[0]!.text)).toEqual(upload.data);
    expect((await call(client, 'tables_list_jobs', { limit: 1 })).data).toMatchObject({ jobs: [{ job_id }] });
    expect((await call(client, 'tables_erase_job', { job_id })).data).toEqual({ job_id, status: 'erased' });
    expect(await call(client, 'tables_status', { job_id })).toMatchObject({ isError: true });
  });

  it('speaks the current revision, describes every tool by schemas, and takes the key as a bearer token', async () => {
    const client = await connect({ Authorization: `Bearer ${deployment.key}` });
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThanOrEqual(10);
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect(description?.length, name).toBeGreaterThan(30);
      expect([inputSchema.type, outputSchema?.type], name).toEqual(['object', 'object']);
      expect(annotations, name).toBeDefined();
    }
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 't', version: '1' } },
    };
    const reply = await deployment.post('/mcp', initialize, { headers: { Accept: 'text/event-stream' } });
    expect(reply.text).toContain(`"protocolVersion":"${LATEST_PROTOCOL_VERSION}"`);
  });

  it('tells an assistant what was wrong and what there is, as the service tells a program', async () => {
    const client = await connect({ 'X-API-Key': deployment.key });
    const job_id = await deployment.newJob(housesCsv(60));
    const direct = await deployment.post('/detect_family', { job_id, target_col: 'nope' });
    const told = await call(client, 'tables_detect_family', { job_id, target_col: 'nope' });
    expect(told).toMatchObject({ isError: true, text: `column_not_found: ${direct.error?.message}` });
    expect(await call(client, 'tables_generate', { job_id })).toMatchObject({
      isError: true,
      text: expect.stringContaining('missing_target'),
    });
    expect(await call(client, 'tables_read_rows', { job_id, limit: 201 })).toMatchObject({ isError: true });
    const base64 = Buffer.from('nom,prix\nHélène,12\n', 'latin1').toString('base64');
    expect((await call(client, 'tables_upload', { base64 })).text).toContain('Give encoding "windows-1252" to read it');
    expect(await call(client, 'tables_upload', { base64, encoding: 'windows-1252' })).toMatchObject({ isError: false });
    expect(await call(client, 'tables_status', { job_id })).toMatchObject({
      data: { status: 'uploaded', ended: false },
    });
  });

  it('takes a spreadsheet in base64 and refuses what it cannot read', async () => {
    const client = await connect({ 'X-API-Key': deployment.key });
    const base64 = Buffer.from('a,b\n1,x\n2,y\n').toString('base64');
    expect((await call(client, 'tables_upload', { base64, file_name: 't.csv' })).data).toMatchObject({ rows: 2 });
    const bad = await call(client, 'tables_upload', { base64, file_name: 't.pdf' });
    expect(bad).toMatchObject({ isError: true, text: expect.stringContaining('unsupported_file_type') });
  });

  it('asks for a key, whatever else is sent, and knows no other key’s jobs', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: `Basic ${deployment.key}` }]) {
      expect(verdict(await deployment.post('/mcp', list, { key: null, headers }))).toEqual([401, 'unauthorized']);
    }
    expect(verdict(await deployment.send('DELETE', '/mcp', { key: null }))).toEqual([405, 'method_not_allowed']);
    // Elsewhere the key comes in X-API-Key alone.
    const bearer = { Authorization: `Bearer ${deployment.key}` };
    expect(verdict(await deployment.send('GET', '/health', { key: null, headers: bearer }))).toEqual([
      401,
      'unauthorized',
    ]);
  });

  it('refuses a body that is no message in the envelope', async () => {
    for (const [body, status, code] of [
      ['{', 400, 'invalid_request'],
      ['[]', 400, 'invalid_request'],
      ['{"jsonrpc": "1.0"}', 400, 'invalid_request'],
      [`{"a": "${'x'.repeat(10_485_760)}"}`, 413, 'request_too_large'],
    ] as const) {
      expect(verdict(await deployment.send('POST', '/mcp', { body }))).toEqual([status, code]);
    }
  });
});
