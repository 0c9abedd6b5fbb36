/**
 * What may be shared of a private job is a function of its measurements: of two files that differ by a row, the same answers of
 * the curator give the same reports for sharing, statuses for sharing and answers to assistants, to the byte.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../api/app.ts';
import { createServer } from '../../mcp/createServer.ts';
import { STDIO_TOOLS } from '../../mcp/stdioTools.ts';
import { SyntheticTables } from '../../packages/client/client.ts';
import type { JobEvent, ProgressEvent } from '../../packages/contract/events.ts';
import { sharedReportSchema } from '../../packages/contract/report.ts';
import { jobRequestSchema, tableRequestSchema } from '../../packages/contract/requests.ts';
import { createCurator } from '../../packages/numerics/privacy/curator.ts';
import { makeTable } from '../../packages/synthesis/make.ts';
import type { OpenCurator } from '../../packages/synthesis/methods/private/privateMethod.ts';
import { drawReport } from '../../packages/synthesis/report/drawReport.ts';
import { isPrivate, withDomainRoles } from '../../packages/synthesis/request/checkPrivacy.ts';
import { writeTable } from '../../packages/synthesis/write.ts';
import { encodeProfile } from '../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../packages/tables/profile/profileUpload.ts';
import { readTable } from '../../packages/tables/readTable.ts';
import { jobPrefix, modelKey, reportKey, resultKey } from '../../service/job/objectKeys.ts';
import { bytesOf } from '../support/bytes.ts';
import { METRICS, RECEIPT, SOFTWARE } from '../support/jobFixtures.ts';
import { KEY, memoryService } from '../support/memoryService.ts';
import { type Question, recording, replaying } from '../support/privacyAudit.ts';
import { bytesFrom } from '../support/samplers.ts';

const HEAD = 'age,group,name';
const ROWS = Array.from({ length: 240 }, (_, row) => `${20 + ((row * 7) % 50)},${row % 3 === 0 ? 'a' : 'b'},n${row}`);
/** Beyond the domain in every cell: it changes extremes, levels, notes and the number of rows. */
const ODD = '1e9,a level that the domain does not have,someone whom no other row resembles';

const domain = { age: { min: 18, max: 80 }, group: { levels: ['a', 'b'] } };
const privacy = { epsilon: 4, delta: 1e-5 };
const asked = withDomainRoles(tableRequestSchema.parse({ privacy, domain, n_samples: 100, seed: 1 }));
const request = jobRequestSchema.parse({ ...asked, job_id: 'job' });

/** A service with the finished private job of a file with these rows, and an assistant at it. */
async function serving(rows: readonly string[], openCurator: OpenCurator, secondsPerStep: number) {
  const file = [HEAD, ...rows].join('\n');
  const profile = await profileUpload(bytesOf(file), 'people.csv');
  let ids = 0;
  const service = memoryService({
    reader: { profile: async () => encodeProfile(profile) },
    newId: () => `id-${ids++}`,
  });
  const app = createApp(service, { corsOrigins: [] });
  const fetched = async (address: string, init: RequestInit = {}) => {
    const asking = new Request(address, init);
    asking.headers.set('X-API-Key', KEY);
    return app.fetch(asking);
  };
  const client = new SyntheticTables({ url: 'http://localhost', key: KEY, retries: 0, fetch: fetched });
  const { job_id: uploaded } = await client.upload(file, 'people.csv');

  if (!isPrivate(asked)) throw new Error('the request asks for no privacy');
  const events: JobEvent[] = [];
  const onProgress = async (event: ProgressEvent) => {
    events.push({ ...event, seconds: events.length * secondsPerStep });
  };
  const progress = { onProgress, yieldToEventLoop: async () => {} };
  const load = async () => ({ profile, cells: await readTable(bytesOf(file), profile.dialect) });
  const made = await makeTable({ load, request: asked, seed: 1, progress, openCurator });
  const table: Uint8Array[] = [];
  for await (const piece of writeTable(made, progress.yieldToEventLoop)) table.push(piece);
  const { metrics, report, forSharing } = await drawReport(made, {
    jobId: 'job',
    fileName: 'people.csv',
    madeAt: '2026-11-03T09:05:00.000Z',
    software: SOFTWARE,
    request: asked,
    identity: null,
  });
  if (!report || !forSharing) throw new Error('a report is missing');
  const files: [string, Uint8Array | string][] = [
    [resultKey('job', 1), new Uint8Array(Buffer.concat(table))],
    [modelKey('job', 1), made.saved ?? ''],
    [reportKey('job', 1, 'html'), report.html],
    [reportKey('job', 1, 'json'), JSON.stringify(report.data)],
    [reportKey('job', 1, 'html', 'sharing'), forSharing.html],
    [reportKey('job', 1, 'json', 'sharing'), JSON.stringify(forSharing.data)],
  ];
  for (const id of ['job', 'other'])
    for (const [key, body] of [...service.files])
      if (key.startsWith(jobPrefix(uploaded))) service.files.set(key.replace(uploaded, id), body);
  for (const [key, body] of files)
    service.files.set(key, typeof body === 'string' ? new TextEncoder().encode(body) : body);
  const record = service.records.get(uploaded);
  if (!record) throw new Error('the upload made no job');
  service.records.delete(uploaded);
  service.records.set('other', { ...record, id: 'other', fileBytes: 0 });
  const ended = { startedAt: '2026-11-03T09:01:00.000Z', endedAt: '2026-11-03T09:06:00.000Z', receipt: RECEIPT };
  service.records.set('job', {
    ...record,
    ...ended,
    id: 'job',
    state: 'done',
    attempt: 1,
    request,
    metrics,
    progress: events,
  });

  const assistant = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createServer(client, '1', STDIO_TOOLS).connect(theirs);
  await assistant.connect(ours);
  const text = async (path: string) => (await fetched(`http://localhost${path}`)).text();
  return { text, assistant, client, service };
}

const [first, second]: [Question[], Question[]] = [[], []];
let one: Awaited<ReturnType<typeof serving>>;
let two: Awaited<ReturnType<typeof serving>>;

beforeAll(async () => {
  one = await serving(ROWS, (budget) => recording(createCurator(budget, bytesFrom(1, 'job')), first), 0.25);
  two = await serving([...ROWS, ODD], () => replaying(first, second), 1.5);
});

/** What both answer. */
const both = async <T>(ask: (of: typeof one) => Promise<T>): Promise<[T, T]> => [await ask(one), await ask(two)];

describe('of a private job', () => {
  it.each(['/status/job?for=sharing', '/report/job?for=sharing', '/report/job.json?for=sharing', '/download/job'])(
    'GET %s has the same bytes for a file with a row more',
    async (path) => {
      const [a, b] = await both(({ text }) => text(path));
      expect(a.length).toBeGreaterThan(100);
      expect(a).not.toContain('"error":{');
      expect(b).toBe(a);
    },
  );

  it.each(['/status/job', '/report/job', '/report/job.json'])('GET %s tells the two files apart', async (path) => {
    const [a, b] = await both(({ text }) => text(path));
    expect(b).not.toBe(a);
  });

  /** Whatever a tool takes of these; a tool that is added is asked as well. */
  const ARGUMENTS: Record<string, unknown> = {
    job_id: 'job',
    target_col: 'age',
    wait_seconds: 0,
    limit: 10,
    rows: 10,
    real_job_id: 'job',
    privacy,
    domain,
    seed: 1,
    names_only: true,
    text: [HEAD, ...ROWS].join('\n'),
  };
  const ENDS = ['tables_cancel_job', 'tables_erase_job', 'tables_upload_file', 'tables_save_file'];
  /** The job is done already, or the whole answer would follow from real rows. */
  const REFUSED = ['tables_generate', 'tables_detect_family', 'tables_estimate', 'tables_compare'];
  const asked = STDIO_TOOLS.filter(({ name }) => !ENDS.includes(name)).map(({ name, input }) => {
    const own = Object.entries(ARGUMENTS).filter(([key]) => key in input.shape);
    return [name, Object.fromEntries(own)] as const;
  });

  it.each(asked)('%s answers an assistant alike', async (name, given) => {
    const job = name === 'tables_compare' ? { ...given, job_id: 'other' } : given;
    const [a, b] = await both(({ assistant }) => assistant.callTool({ name, arguments: job }));
    expect(JSON.stringify(b)).toBe(JSON.stringify(a));
    expect(a.isError ?? false).toBe(REFUSED.includes(name));
  });

  it.each(['tables_read_report', 'tables_status', 'tables_inspect', 'tables_list_jobs'])(
    '%s tells the two files apart once the owner allows it',
    async (name) => {
      const given = {
        ...Object.fromEntries(asked)[name],
        owner_figures: true,
        ...(name === 'tables_inspect' && { names_only: false }),
      };
      const [a, b] = await both(({ assistant }) => assistant.callTool({ name, arguments: given }));
      expect(a.isError).toBeFalsy();
      expect(JSON.stringify(b)).not.toBe(JSON.stringify(a));
    },
  );

  it('resources are alike', async () => {
    const [a, b] = await both(async ({ assistant }) => {
      const { resources } = await assistant.listResources();
      const own = resources.filter(({ uri }) => uri.includes('/job/'));
      expect(own).toHaveLength(4);
      return JSON.stringify(await Promise.all(own.map(({ uri }) => assistant.readResource({ uri }))));
    });
    expect(b).toBe(a);
  });

  it('a new private job takes its roles from the domain, whatever the file suggests', async () => {
    const given = { job_id: 'other', auto: true, privacy, domain, seed: 1 };
    const [a, b] = await both(({ assistant }) => assistant.callTool({ name: 'tables_generate', arguments: given }));
    expect(JSON.stringify(a)).toContain('started with no target, 1 continuous, 1 categorical');
    expect(JSON.stringify(b)).toBe(JSON.stringify(a));
  });

  it.each(['tables_read_report', 'tables_status'])('%s shows no comparison with its file', async (name) => {
    const job = one.service.records.get('job');
    if (!job?.request) throw new Error('the job is gone');
    const { privacy: _, domain: __, ...open } = job.request;
    const compared = { ...open, compared_with: { job_id: 'job', holdout_job_id: null } };
    one.service.records.set('compared', { ...job, id: 'compared', request: compared, metrics: METRICS });
    const ask = (own: { owner_figures: boolean }) =>
      one.assistant.callTool({ name, arguments: { job_id: 'compared', ...own } });
    expect(JSON.stringify(await ask({ owner_figures: false }))).toContain('for the owner of the file alone');
    expect((await ask({ owner_figures: true })).isError).toBeFalsy();
    one.service.records.delete('compared');
  });

  it('the report for sharing fits its schema and names neither rows nor cells of the file', async () => {
    const data = await one.client.sharedReportData('job');
    expect(sharedReportSchema.parse(data)).toEqual(data);
    const page = await two.text('/report/job?for=sharing');
    expect(page).toContain('This report may be handed on.');
    expect(page).not.toMatch(/24[01] rows|Review and decision|held-out|someone|a level that/);
    expect(await two.text('/report/job')).toMatch(/For the owner of the file alone.*241 rows/s);
  });

  it('the sheet that is signed has no grade and no figure of real rows', async () => {
    const [a, b] = await both(
      async ({ text }) => /<section id="review">.*?<\/section>/s.exec(await text('/report/job'))?.[0],
    );
    expect(a).toContain('ε 4');
    expect(a).not.toMatch(/Fidelity|Utility/);
    expect(b).toBe(a);
  });
});

describe('GET /report?for=sharing', () => {
  it('says what to do where there is none', async () => {
    expect(await one.text('/report/job?for=anybody')).toContain('must be owner or sharing');
    const { records, files } = one.service;
    const job = records.get('job');
    if (!job?.metrics) throw new Error('the job is gone');
    const key = reportKey('job', 1, 'html', 'sharing');
    const kept = files.get(key);
    files.delete(key);
    expect(await one.text('/report/job?for=sharing')).toMatch(/"reason":"report_for_sharing_missing"/);
    const { formal_privacy: _, ...open } = job.metrics;
    records.set('job', { ...job, metrics: open });
    expect(await one.text('/report/job?for=sharing')).toMatch(
      /made without privacy.*"reason":"report_not_for_sharing"/,
    );
    records.set('job', job);
    if (kept) files.set(key, kept);
  });
});
