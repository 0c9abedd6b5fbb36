/** Has the real service make tables from a file, and gathers all that it gives out or keeps. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parquetReadObjects } from 'hyparquet';
import { openDatabase } from '../../adapters/local/database.ts';
import { SyntheticTables } from '../../packages/client/client.ts';
import { JobFailedError } from '../../packages/client/errors.ts';
import { roleFields, suggestedRoles } from '../../packages/contract/roles.ts';
import { type LiveServer, startServer } from '../../test/support/liveServer.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { cacheFolder } from '../support/cacheFolder.ts';
import { BROKEN_TARGET, brokenTable, TARGET } from './canaries.ts';
import { Places } from './places.ts';

const SETTINGS = { CALLBACK_ADDRESSES: 'any', UPLOAD_RETENTION_HOURS: '1' };
const SEED = 1;
/** No table meets this: a share of rows below zero. */
const POLICY = { max_nearest_train_share_lower: 0, exact_copies: 0, verbatim_text: 0 };

export async function collect(csv: string): Promise<Places> {
  const folder = mkdtempSync(join(cacheFolder(), 'leaks-'));
  const dataDir = join(folder, 'data');
  const places = new Places();
  try {
    const server = await startServer(SETTINGS, dataDir);
    const key = server.key ?? '';
    const jobIds = await useService(new Visit(server, key, places), csv).finally(() => server.stop());
    places.add('log', server.log());
    passTwoHours(dataDir);
    await eraseAll(dataDir, key, jobIds, places);
    places.addFolder(dataDir, () => 'after DELETE and stop: whole data folder');
    return places;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The jobs, and all that is asked of them while the upload is kept. */
async function useService(visit: Visit, csv: string): Promise<string[]> {
  const receiver = await startReceiver(204);
  try {
    const first = await visit.start(csv, receiver.url, {});
    const withheld = await visit.start(csv, receiver.url, {
      n_samples: 100,
      draws: 200,
      tune: 200,
      text_epochs: 1,
      policy: POLICY,
    });
    const broken = await visit.startBroken(receiver.url);
    const more = await visit.client.sample(first, { rows: 100, seed: SEED });
    await visit.ended(more.job_id);
    const assisted = await visit.assist(csv, first, broken);
    await visit.refusals(csv);
    for (const jobId of [first, withheld, broken, more.job_id]) await visit.read(jobId);
    await until('3 callbacks', () => receiver.received.length >= 3);
    for (const { headers, body } of receiver.received) visit.places.add('callback', JSON.stringify(headers) + body);
    return [first, withheld, broken, assisted];
  } finally {
    await receiver.close();
  }
}

/** A client of a running service that notes every answer. */
class Visit {
  readonly client: SyntheticTables;
  readonly places: Places;
  readonly #server: LiveServer;
  readonly #key: string;

  constructor(server: LiveServer, key: string, places: Places) {
    this.#server = server;
    this.#key = key;
    this.places = places;
    this.client = new SyntheticTables({ url: server.url, key });
  }

  /** A job with the suggested roles, by which keys come out anew; it ends. */
  async start(csv: string, callback_url: string, settings: object): Promise<string> {
    const upload = await this.client.upload(csv, 'table.csv');
    const { job_id } = upload;
    const roles = roleFields(suggestedRoles(upload, TARGET));
    const request = { job_id, ...roles, n_samples: 400, seed: SEED, ...settings };
    await this.post('estimate, detect_family', '/estimate', request);
    await this.post('estimate, detect_family', '/detect_family', { job_id, target_col: TARGET });
    await this.post('generate', '/generate', { ...request, callback_url });
    await this.ended(job_id);
    return job_id;
  }

  /** A job that fails while it runs. */
  async startBroken(callback_url: string): Promise<string> {
    const { job_id } = await this.client.upload(brokenTable(), 'broken.csv');
    await this.post('generate', '/generate', { job_id, target_col: BROKEN_TARGET, family: 'poisson', callback_url });
    await this.ended(job_id).catch((error: unknown) => {
      if (!(error instanceof JobFailedError)) throw error;
    });
    return job_id;
  }

  ended = (jobId: string) => this.client.wait(jobId);

  async read(jobId: string): Promise<void> {
    await this.get('status', `/status/${jobId}`);
    await this.get('events', `/events/${jobId}`);
    await this.get('jobs', '/jobs');
    await this.get('report.html', `/report/${jobId}`);
    await this.get('report.json', `/report/${jobId}.json`);
    await this.get('receipt', `/receipt/${jobId}`);
    for (const format of ['csv', 'jsonl', 'xlsx', 'parquet']) {
      const bytes = await this.get(`result ${format}`, `/download/${jobId}?format=${format}`);
      if (format === 'parquet' && isParquet(bytes)) this.places.add('result parquet', await cellsOfParquet(bytes));
    }
  }

  /** What an assistant is told that was not allowed examples. Gives the job of its own upload. */
  async assist(csv: string, done: string, broken: string): Promise<string> {
    const told = await this.call('MCP tables_upload', 'tables_upload', { text: csv });
    const job_id = /job_id ([\da-f]{32})/.exec(told)?.[1] ?? '';
    await this.call('MCP tables_inspect', 'tables_inspect', { job_id, detail: 'full' });
    await this.call('MCP tables_estimate, tables_detect_family', 'tables_estimate', {
      job_id,
      auto: true,
      target_col: TARGET,
    });
    await this.call('MCP tables_estimate, tables_detect_family', 'tables_detect_family', {
      job_id,
      target_col: TARGET,
    });
    for (const refused of REFUSED) await this.call('MCP refusals', 'tables_generate', { job_id, ...refused });
    for (const each of [done, broken]) {
      await this.call('MCP tables_status, tables_list_jobs', 'tables_status', { job_id: each });
      await this.call('MCP tables_read_report', 'tables_read_report', { job_id: each, detail: 'full' });
      await this.call('MCP tables_read_rows', 'tables_read_rows', { job_id: each, limit: 200, detail: 'full' });
    }
    await this.call('MCP tables_status, tables_list_jobs', 'tables_list_jobs', {});
    for (const file of ['columns.json', 'metrics.json', 'report.html', 'synthetic_data.csv']) {
      const uri = `synthetic-tables://jobs/${done}/${file}`;
      await this.message(`MCP resource ${file}`, 'resources/read', { uri });
    }
    return job_id;
  }

  /** Requests that the service refuses, each for a reason that could name a cell. */
  async refusals(csv: string): Promise<void> {
    const { job_id } = await this.client.upload(csv, 'table.csv');
    for (const refused of REFUSED) await this.post(REFUSALS, '/generate', { job_id, ...refused });
    for (const damaged of [`${csv}"unclosed`, `${csv}1,2,3,4,5,6,7,8,9,10,11\n`, csv.replace('-', '\0')]) {
      const body = new FormData();
      body.set('file', new Blob([damaged]), 'damaged.csv');
      await this.send(REFUSALS, '/upload', { method: 'POST', body });
    }
    await this.client.erase(job_id);
  }

  get = (place: string, path: string): Promise<Uint8Array> => this.send(place, path, {});

  post(place: string, path: string, body: object): Promise<Uint8Array> {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
    return this.send(place, path, { method: 'POST', body: JSON.stringify(body), headers });
  }

  call = (place: string, name: string, args: object): Promise<string> =>
    this.message(place, 'tools/call', { name, arguments: args });

  async message(place: string, method: string, params: object): Promise<string> {
    const answer = await this.post(place, '/mcp', { jsonrpc: '2.0', id: 1, method, params });
    return Buffer.from(answer).toString();
  }

  async send(place: string, path: string, init: RequestInit): Promise<Uint8Array> {
    const headers = { ...init.headers, 'X-API-Key': this.#key };
    const answer = await fetch(`${this.#server.url}${path}`, { ...init, headers });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (place === 'generate' && !answer.ok) throw new Error(`${path} was refused: ${Buffer.from(bytes)}`);
    if (place === REFUSALS && answer.ok) throw new Error(`${path} was to be refused`);
    this.places.add(answer.ok ? place : REFUSALS, JSON.stringify([...answer.headers]));
    this.places.add(answer.ok ? place : REFUSALS, bytes);
    return bytes;
  }
}

const REFUSALS = 'refusals';

const ROLES = { target_col: TARGET, continuous_cols: ['amount'], categorical_cols: ['state'] };

/** Bodies of POST /generate, but for the job's id. */
const REFUSED: readonly object[] = [
  { ...ROLES, family: 'beta' },
  { ...ROLES, family: 'poisson' },
  { ...ROLES, conditions: [{ column: 'state', equals: 'nonesuch' }] },
  { ...ROLES, conditions: [{ column: 'amount', between: [1e6, 2e6] }] },
  { ...ROLES, conditions: [{ column: 'amount', equals: 'many' }] },
  { ...ROLES, continuous_cols: ['visited'], conditions: [{ column: 'visited', between: ['1999', '2000'] }] },
  { target_col: 'state' },
  { target_col: 'nonesuch' },
];

const isParquet = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 4)).toString() === 'PAR1';

async function cellsOfParquet(bytes: Uint8Array): Promise<string> {
  const rows = await parquetReadObjects({ file: bytes.slice().buffer });
  return JSON.stringify(rows, (_, cell: unknown) => (typeof cell === 'bigint' ? String(cell) : cell));
}

/** The jobs ended two hours ago: an upload's time is over, a result's is not. */
function passTwoHours(dataDir: string): void {
  const database = openDatabase(dataDir);
  const then = new Date(Date.now() - 2 * 3_600_000).toISOString();
  database.prepare('UPDATE jobs SET ended_at = ?, last_event_at = ?').run(then, then);
  database.close();
}

/** What is kept without the upload; then every job is erased, and what is left is looked at while the service runs. */
async function eraseAll(dataDir: string, key: string, jobIds: readonly string[], places: Places): Promise<void> {
  const server = await startServer(SETTINGS, dataDir);
  try {
    await until('the uploads to expire', () => !server.files().some((path) => path.endsWith('/upload')));
    places.addFolder(dataDir, keptPlace);
    const client = new SyntheticTables({ url: server.url, key });
    for (const jobId of jobIds) await client.erase(jobId);
    places.addFolder(dataDir, () => 'after DELETE: whole data folder');
  } finally {
    await server.stop();
    places.add('log', server.log());
  }
}

const keptPlace = (path: string): string => {
  const what = path.includes('/samples/') ? 'mark of a sample' : path.split('/').at(-1);
  return `kept without the upload: ${what}`;
};

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`waited a minute for ${what}`);
    await sleep(100);
  }
}
