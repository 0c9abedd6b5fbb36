import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ConnectionError,
  JobFailedError,
  NotStartedError,
  RefusedError,
  SyntheticTables,
  UnexpectedReplyError,
  type WaitOptions,
} from '../../packages/client/index.ts';

interface Sent {
  method: string;
  path: string;
  headers: Headers;
}

type Answer = Response | Error;

const LOST = new TypeError('fetch failed');
const ok = (data: unknown) => Response.json({ success: true, data, error: null });
const refused = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ success: false, data: null, error: { code, message: `${code}!` } }, { status, headers });

/** A client whose requests are answered by the given ones, in turn; the last one stays. */
function answering(...answers: (() => Answer)[]): { client: SyntheticTables; sent: Sent[] } {
  const sent: Sent[] = [];
  const client = new SyntheticTables({
    url: 'https://tables.example/',
    key: 'the-key',
    async fetch(address, init) {
      const answer = (answers[sent.length] ?? answers.at(-1))?.();
      const { method = 'GET' } = init;
      sent.push({ method, path: address.replace('https://tables.example', ''), headers: new Headers(init.headers) });
      if (answer instanceof Response) return answer;
      throw answer;
    },
  });
  return { client, sent };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The outcome of a call whose pauses pass at once. */
async function outcome<T>(call: Promise<T>): Promise<T | unknown> {
  const settled = call.then(
    (value): unknown => value,
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  return settled;
}

const calls: [name: string, repeatable: boolean, call: (client: SyntheticTables) => Promise<unknown>][] = [
  ['health', true, (client) => client.health()],
  ['status', true, (client) => client.status('j')],
  ['columns', true, (client) => client.columns('j')],
  ['jobs', true, (client) => client.jobs()],
  ['download', true, (client) => client.download('j')],
  ['detectFamily', true, (client) => client.detectFamily('j', 'x')],
  ['report', true, (client) => client.report('j')],
  ['reportData', true, (client) => client.reportData('j')],
  ['sharedReportData', true, (client) => client.sharedReportData('j')],
  ['receipt', true, (client) => client.receipt('j')],
  ['callbackSecret', true, (client) => client.callbackSecret()],
  ['estimate', true, (client) => client.estimate({ job_id: 'j', target_col: 'a' })],
  ['release', true, (client) => client.release('j')],
  ['upload', true, (client) => client.upload('a\n1\n', 'a.csv')],
  ['repeat', true, (client) => client.repeat('j')],
  ['sample', true, (client) => client.sample('j', { rows: 5 })],
  ['compare', true, (client) => client.compare({ job_id: 'j', real_job_id: 'k', categorical_cols: ['a'] })],
  ['generate', true, (client) => client.generate({ job_id: 'j', target_col: 'a' })],
  ['cancel', false, (client) => client.cancel('j')],
  ['erase', false, (client) => client.erase('j')],
];

describe('the client', () => {
  it.each(calls)('sends %s again after its answer was lost: %s', async (_name, repeatable, call) => {
    const { client, sent } = answering(
      () => LOST,
      () => ok({ job_id: 'j' }),
    );
    const result = await outcome(call(client));
    expect(sent).toHaveLength(repeatable ? 2 : 1);
    expect(result instanceof ConnectionError).toBe(!repeatable);
  });

  it.each(calls)('sends %s again where the service refused it and said when to come back', async (...row) => {
    for (const [status, code] of [
      [429, 'capacity_exceeded'],
      [503, 'service_busy'],
    ] as const) {
      const { client, sent } = answering(
        () => refused(status, code, { 'Retry-After': '7' }),
        () => ok({ job_id: 'j' }),
      );
      expect(await outcome(row[2](client))).not.toBeInstanceOf(Error);
      expect(sent).toHaveLength(2);
    }
  });

  it('asks for what may be shared', async () => {
    const { client, sent } = answering(() => ok({}));
    await client.status('j', { for: 'sharing' });
    await client.report('j', { for: 'sharing' });
    await client.sharedReportData('j');
    await client.report('j');
    expect(sent.map(({ path }) => path)).toEqual([
      '/status/j?for=sharing',
      '/report/j?for=sharing',
      '/report/j.json?for=sharing',
      '/report/j',
    ]);
  });

  it('waits as long as Retry-After says', async () => {
    const { client, sent } = answering(() => refused(429, 'capacity_exceeded', { 'Retry-After': '7' }));
    const settled = client.generate({ job_id: 'j', target_col: 'a' }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(6999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(2);
    await vi.runAllTimersAsync();
    await settled;
  });

  it.each([
    ['localhost:8080', /Write https:\/\/ or http:\/\/ before it/],
    ['tables.example', /Write https:\/\/ or http:\/\/ before it/],
    ['', /found ""\.$/],
    ['htps://tables.example', /found "htps:/],
    ['https://', /found "https:/],
    ['https://me:secret@tables.example', /name or password/],
    ['https://tables.example/?key=1', /query or fragment/],
    ['https://tables.example/#key=1', /query or fragment/],
  ])('refuses the address %j before it sends anything', (url, said) => {
    expect(() => new SyntheticTables({ url, key: 'k' })).toThrow(/url must be the address of the service, such as/);
    expect(() => new SyntheticTables({ url, key: 'k' })).toThrow(said);
  });

  it.each([
    ['https://tables.example/', 'https://tables.example/health'],
    ['https://tables.example/prefix//', 'https://tables.example/prefix/health'],
    ['HTTP://Tables.Example:80', 'http://tables.example/health'],
  ])('asks below the address %j', async (url, asked) => {
    const addresses: string[] = [];
    const fetch = async (address: string) => {
      addresses.push(address);
      return ok({});
    };
    await new SyntheticTables({ url, key: 'k', fetch }).health();
    expect(addresses).toEqual([asked]);
  });

  it('refuses a key that no header can hold, without saying it, and takes one with a line break behind it', async () => {
    const url = 'https://tables.example';
    const refusal = (key: string): unknown => {
      try {
        return new SyntheticTables({ url, key });
      } catch (error) {
        return error;
      }
    };
    for (const key of ['se\ncret', 'se cret', 'sécret']) {
      expect(refusal(key)).toMatchObject({ name: 'TypeError', message: expect.not.stringMatching(/cret/) });
    }
    const keys: (string | null)[] = [];
    const fetch = async (_: string, { headers }: RequestInit) => {
      keys.push(new Headers(headers).get('X-API-Key'));
      return ok({});
    };
    await new SyntheticTables({ url, key: 'the-key\n', fetch }).health();
    expect(keys).toEqual(['the-key']);
  });

  it.each(['ENOTFOUND', 'EPROTO', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    'gives up at once where the address or its certificate is at fault: %s',
    async (code) => {
      const cause = Object.assign(new Error(`it is ${code}`), { code });
      const { client, sent } = answering(() => new TypeError('fetch failed', { cause }));
      expect(await outcome(client.health())).toMatchObject({
        code: 'connection_failed',
        message: expect.stringMatching(`got no answer \\(it is ${code}\\)\\. Check the address`),
      });
      expect(sent).toHaveLength(1);
    },
  );

  it('waits for the beginning of an answer no longer than it is told to, and takes its whole body', async () => {
    const fetch = (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const client = new SyntheticTables({ url: 'https://tables.example', key: 'k', timeoutMs: 2000, retries: 1, fetch });
    const said = { code: 'connection_failed', message: expect.stringContaining('no answer within 2 s') };
    expect(await outcome(client.health())).toMatchObject(said);
    const slow = new ReadableStream({
      async start(controller) {
        await new Promise((resolve) => setTimeout(resolve, 5000));
        controller.enqueue(new TextEncoder().encode('a'));
        controller.close();
      },
    });
    const patient = new SyntheticTables({
      url: 'https://tables.example',
      key: 'k',
      timeoutMs: 2000,
      retries: 0,
      fetch: async () => new Response(slow),
    });
    const { body } = await patient.download('j');
    expect(await outcome(new Response(body).text())).toBe('a');
  });

  it('stops a body that is under way when its signal is aborted', async () => {
    const stop = new AbortController();
    const signals: AbortSignal[] = [];
    const client = new SyntheticTables({
      url: 'https://tables.example',
      key: 'k',
      async fetch(_, { signal }) {
        if (signal) signals.push(signal);
        return new Response('a');
      },
    });
    await client.download('j', { signal: stop.signal });
    stop.abort(new Error('enough'));
    expect(signals.map(({ aborted, reason }) => [aborted, reason])).toEqual([[true, new Error('enough')]]);
  });

  it('gives up at once where it would have to wait longer than its patience', async () => {
    let sent = 0;
    const client = new SyntheticTables({
      url: 'https://tables.example',
      key: 'k',
      patienceMs: 6999,
      async fetch() {
        sent++;
        return refused(429, 'capacity_exceeded', { 'Retry-After': '7' });
      },
    });
    expect(await outcome(client.status('j'))).toMatchObject({ code: 'capacity_exceeded', retryAfter: 7 });
    expect(sent).toBe(1);
  });

  it('names what makes something, alike in every try, and waits for its first try as long as that is at work', async () => {
    const { client, sent } = answering(
      () => LOST,
      ...Array.from({ length: 7 }, () => () => refused(409, 'request_in_progress', { 'Retry-After': '2' })),
      () => ok({ job_id: 'j' }),
    );
    const request = { job_id: 'j', target_col: 'a' };
    expect(await outcome(client.generate(request))).toEqual({ job_id: 'j' });
    const names = sent.map(({ headers }) => headers.get('Idempotency-Key'));
    expect([names.length, new Set(names).size, names[0]]).toEqual([9, 1, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    await client.generate(request);
    expect(sent.at(-1)?.headers.get('Idempotency-Key')).not.toBe(names[0]);
    await client.health();
    expect(sent.at(-1)?.headers.get('Idempotency-Key')).toBeNull();
  });

  it.each([
    [400, 'invalid_parameter'],
    [401, 'unauthorized'],
    [409, 'job_conflict'],
    [429, 'capacity_exceeded'],
    [507, 'storage_full'],
  ])('tells a refusal with %i %s at once, where it says nothing of coming back', async (status, code) => {
    const { client, sent } = answering(() => refused(status, code, { 'X-Request-Id': 'r-1' }));
    const error = await outcome(client.generate({ job_id: 'j', target_col: 'a' }));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ code, status, requestId: 'r-1', retryAfter: null, message: `${code}!` });
    expect(sent).toHaveLength(1);
  });

  it('gives up after as many retries as it may make', async () => {
    const { client, sent } = answering(() => LOST);
    expect(await outcome(client.health())).toMatchObject({ code: 'connection_failed', cause: LOST });
    expect(sent).toHaveLength(5);
  });

  it('knows an answer that is not the service’s', async () => {
    for (const answer of [
      new Response('<html>'),
      Response.json({ success: true }),
      new Response('', { status: 404 }),
    ]) {
      const { client } = answering(() => answer.clone());
      expect(await outcome(client.health())).toBeInstanceOf(UnexpectedReplyError);
    }
  });

  it('follows a large result to where it lies, without its key', async () => {
    const { client, sent } = answering(
      () => new Response(null, { status: 302, headers: { Location: 'https://files.example/x' } }),
      () => new Response('a\n1\n', { headers: { 'Content-Length': '4' } }),
    );
    const found = await client.download('j');
    expect([await new Response(found.body).text(), found.bytes]).toEqual(['a\n1\n', 4]);
    expect(sent.map(({ path, headers }) => [path, headers.get('X-API-Key')])).toEqual([
      ['/download/j', 'the-key'],
      ['https://files.example/x', null],
    ]);
  });

  it('gives no length for a body that came compressed', async () => {
    const headers = { 'Content-Length': '24', 'Content-Encoding': 'gzip' };
    const { client, sent } = answering(() => new Response('a\n1\n', { headers }));
    expect((await client.download('j', { format: 'parquet' })).bytes).toBeNull();
    expect(sent.map(({ path }) => path)).toEqual(['/download/j?format=parquet']);
  });

  it('puts ids into addresses so that they stay ids', async () => {
    const { client, sent } = answering(() => ok({}));
    await client.status('../jobs?x');
    await client.jobs({ limit: 5, after: 'a b' });
    expect(sent.map(({ path }) => path)).toEqual(['/status/..%2Fjobs%3Fx', '/jobs?limit=5&after=a+b']);
  });

  it('stops at once when its signal is aborted, also between two tries', async () => {
    const stop = new AbortController();
    const { client, sent } = answering(() => LOST);
    const settled = client.health({ signal: stop.signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    stop.abort(new Error('enough'));
    expect(await settled).toMatchObject({ message: 'enough' });
    expect(sent).toHaveLength(1);
  });

  it('is bundled for browsers with nothing of Node, and nothing but itself and the rule for roles', async () => {
    vi.useRealTimers();
    const { metafile, outputFiles } = await build({
      entryPoints: ['packages/client/index.ts'],
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
    });
    expect(outputFiles[0]?.contents.byteLength).toBeLessThan(12_000);
    expect(Object.keys(metafile.inputs).filter((path) => !path.startsWith('packages/client/'))).toEqual([
      'packages/contract/roles.ts',
    ]);
  });
});

describe('wait', () => {
  const status = (state: string, progress: string[], more: object = {}) =>
    ok({ job_id: 'j', status: state, progress, error: null, ...more });

  it('gives each line once and resolves when the job is done', async () => {
    const { client, sent } = answering(
      () => status('started', []),
      () => status('running', ['a', 'b']),
      () => status('running', ['a', 'b']),
      () => status('done', ['a', 'b', 'c'], { metrics: { seed: 7 } }),
    );
    const seen: string[][] = [];
    const done = await outcome(client.wait('j', { onProgress: (_, lines) => void seen.push([...lines]) }));
    expect(done).toMatchObject({ status: 'done', metrics: { seed: 7 } });
    expect(seen).toEqual([[], ['a', 'b'], [], ['c']]);
    expect(sent).toHaveLength(4);
  });

  it('asks ever more seldom while nothing is said, at most every five seconds, and often again after news', async () => {
    let progress: string[] = [];
    const { client, sent } = answering(() => status('running', progress));
    const stop = new AbortController();
    const settled = client.wait('j', { signal: stop.signal }).catch(() => undefined);
    const asked = async (ms: number) => {
      const before = sent.length;
      await vi.advanceTimersByTimeAsync(ms);
      return sent.length - before;
    };
    expect(await asked(2000)).toBeGreaterThanOrEqual(4);
    await asked(30_000);
    expect(await asked(50_000)).toBe(10);
    progress = ['news'];
    expect(await asked(7000)).toBeGreaterThanOrEqual(4);
    stop.abort();
    await settled;
  });

  it('follows a job that waits for its turn, and tells its place', async () => {
    const place = (position: number) => ({ queue: { position, seconds: 9 } });
    const { client } = answering(
      () => status('queued', [], place(2)),
      () => status('queued', [], place(1)),
      () => status('running', ['a']),
      () => status('done', ['a'], { metrics: { seed: 7 } }),
    );
    const seen: unknown[] = [];
    const onProgress: WaitOptions['onProgress'] = ({ queue }, lines) => void seen.push([queue?.position, ...lines]);
    expect(await outcome(client.wait('j', { onProgress }))).toMatchObject({ status: 'done' });
    expect(seen).toEqual([[2], [1], [undefined, 'a'], [undefined]]);
  });

  it('throws the failure of the job', async () => {
    const failure = { code: 'invalid_data', message: 'It was erased.', params: { reason: 'source_erased' } };
    const { client } = answering(() => status('failed', [], { error: failure }));
    const error = await outcome(client.wait('j'));
    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({ ...failure, reason: 'source_erased', jobId: 'j' });
  });

  it('does not wait for a job that was never started', async () => {
    const { client } = answering(() => status('uploaded', []));
    expect(await outcome(client.wait('j'))).toBeInstanceOf(NotStartedError);
  });

  it('ends with the reason of its signal', async () => {
    const { client } = answering(() => status('running', []));
    const stop = new AbortController();
    const settled = client.wait('j', { signal: stop.signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(100);
    stop.abort(new Error('enough'));
    expect(await settled).toMatchObject({ message: 'enough' });
  });
});
