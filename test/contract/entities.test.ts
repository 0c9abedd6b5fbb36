import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SyntheticTables } from '../../packages/client/index.ts';
import { estimateSchema, sampleReplySchema } from '../../packages/contract/replies.ts';
import { reportSchema } from '../../packages/contract/report.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { useDeployment, verdict } from '../support/contract.ts';

const service = useDeployment();
const CUSTOMERS = 60;
const CITIES = ['Oslo', 'Bergen', 'Bodø'];

/** Purchases of customers, whose key is a number like any other, or a code. */
function purchasesCsv(key: 'number' | 'code' = 'number'): string {
  const random = createStream(1, 'purchases');
  const rows = Array.from({ length: CUSTOMERS }, (_, at) => {
    const [code, city] = [`AC-${100_000 + random.integer(900_000)}`, CITIES[at % 3]];
    const customer = key === 'code' ? code : 3000 + 7 * at;
    let day = random.integer(300);
    return Array.from({ length: 4 }, () => {
      day += 1 + random.integer(40);
      return [customer, city, day, (20 + 9 * random.normal()).toFixed(2)];
    });
  });
  return Papa.unparse([['customer', 'city', 'day', 'amount'], ...rows.flat()], { newline: '\n' });
}

const ROLES = {
  entity_col: 'customer',
  order_col: 'day',
  target: 'none',
  continuous_cols: ['amount'],
  categorical_cols: ['city'],
};

const rowsSchema = z.array(z.record(z.string(), z.string()));

/** Cities of the customers of a result, whose rows stand one under the other. */
async function citiesOf(id: string): Promise<string[]> {
  const { text } = await service.send('GET', `/download/${id}`);
  const rows = rowsSchema.parse(Papa.parse(text, { header: true, skipEmptyLines: true }).data);
  const cities = new Map(rows.map(({ customer, city }) => [customer ?? '', city ?? '']));
  expect(rows.filter((row, at) => at > 0 && row.customer !== rows[at - 1]?.customer)).toHaveLength(cities.size - 1);
  return [...cities.values()];
}

describe('rows that belong together', () => {
  let id: string;
  beforeAll(async () => {
    id = await service.newJob(purchasesCsv('code'));
    const some = { n_entities: 30, conditions: [{ column: 'city', equals: 'Oslo', rows: 20 }], seed: 7 };
    expect((await service.post('/generate', { job_id: id, ...ROLES, ...some })).status).toBe(200);
    expect(await service.end(id)).toMatchObject({ status: 'done', error: null });
  });

  it('are found on upload, estimated, and made as so many entities, of which so many meet a condition', async () => {
    const columns = await service.send('GET', `/jobs/${id}/columns`);
    expect(columns.data).toMatchObject({ suggested_entity: { column: 'customer', order: { column: 'day' } } });
    const estimated = await service.post('/estimate', { job_id: id, ...ROLES, n_entities: 30 });
    expect(estimateSchema.parse(estimated.data).stages.map(({ stage }) => stage)).toContain('sequences');
    const cities = await citiesOf(id);
    expect([cities.length, cities.filter((city) => city === 'Oslo').length >= 20]).toEqual([30, true]);
    const report = reportSchema.parse((await service.send('GET', `/report/${id}.json`)).data);
    expect(report.sequences?.map(({ column, real, synthetic }) => [column, real, synthetic?.length])).toEqual([
      ['amount', [], 12],
    ]);
  });

  it('are drawn again from the model, as so many entities or as rows that whole ones fill', async () => {
    const sample = async (body: object) => {
      const reply = await service.post(`/sample/${id}`, body);
      expect([reply.status, reply.error]).toEqual([200, null]);
      const { job_id } = sampleReplySchema.parse(reply.data);
      expect(await service.end(job_id)).toMatchObject({ status: 'done', error: null });
      return citiesOf(job_id);
    };
    const cities = await sample({ n_entities: 15, seed: 3 });
    // Two thirds of them are of Oslo, as in the first table.
    expect([cities.length, cities.filter((city) => city === 'Oslo').length >= 10]).toEqual([15, true]);
    expect((await sample({ rows: 22, seed: 3 })).length).toBeLessThanOrEqual(5);
  });

  it('are refused where there is no entity, or its column has another role, too', async () => {
    const other = await service.newJob(purchasesCsv());
    const outcome = async (body: object) =>
      verdict(await service.post('/generate', { job_id: other, ...ROLES, ...body }));
    expect(await outcome({ entity_col: null })).toEqual([400, 'invalid_parameter']);
    expect(await outcome({ entity_col: 'client' })).toEqual([400, 'column_not_found']);
    expect(await outcome({ continuous_cols: ['customer'] })).toEqual([400, 'invalid_parameter']);
  });

  it('are made by the client, and by an assistant that takes the suggested roles', async () => {
    const client = new SyntheticTables({ url: service.url, key: service.key });
    const { job_id } = await client.upload(purchasesCsv(), 'purchases.csv');
    await client.generate({ job_id, ...ROLES, target: 'none', n_entities: 12, seed: 7 });
    expect((await client.wait(job_id)).metrics.rows_generated).toBe(48);
    const more = await client.sample(job_id, { n_entities: 5 });
    expect((await client.wait(more.job_id)).metrics.rows_generated).toBe(20);

    const assistant = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { 'X-API-Key': service.key } };
    const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit });
    await assistant.connect(transport as Parameters<Client['connect']>[0]);
    const call = (name: string, args: Record<string, unknown>) => assistant.callTool({ name, arguments: args });
    const { job_id: own } = await client.upload(purchasesCsv(), 'purchases.csv');
    const asked = {
      job_id: own,
      auto: true,
      target: 'none',
      entity_col: 'customer',
      order_col: 'day',
      n_entities: 8,
    };
    expect(await call('tables_estimate', asked)).not.toMatchObject({ isError: true });
    expect(await call('tables_generate', asked)).toMatchObject({ structuredContent: { status: 'started' } });
    expect((await client.wait(own)).metrics.rows_generated).toBe(32);
    const drawn = await call('tables_sample', { job_id: own, n_entities: 3 });
    const { job_id: last } = z.object({ job_id: z.string() }).parse(drawn.structuredContent);
    expect((await client.wait(last)).metrics.rows_generated).toBe(12);
    await assistant.close();
  });
});
