/** The image of the service, as its Dockerfile says to run it, on the strictest terms: a table over HTTP, and again after a restart. */
import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roleFields, SyntheticTables, suggestedRoles } from '../../../packages/client/index.ts';
import { until } from '../../ports/made.ts';
import { freePort } from '../localstack/freePort.ts';
import { SERVICE_IMAGE } from './buildImage.ts';
import { docker, ROOT } from './docker.ts';

const STRICT = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
/** Seconds: that of the image is for days, not for tests. */
const HEALTH = ['--health-interval', '2s', '--health-start-period', '0s'];

const name = `synthetic-tables-${randomUUID()}`;
const volume = `${name}-data`;
let port = 0;

async function start(): Promise<void> {
  const options = [...STRICT, ...HEALTH, '--publish', `127.0.0.1:${port}:8080`, '--volume', `${volume}:/data`];
  await docker('run', '--detach', '--name', name, ...options, SERVICE_IMAGE);
}

const stop = () => docker('rm', '--force', name);

const isHealthy = async () => (await docker('inspect', '--format', '{{.State.Health.Status}}', name)) === 'healthy';

/** Throws what it said where it has not started. */
const healthy = () =>
  until('its health', isHealthy, 60_000).catch(async (error: unknown) => {
    throw new Error(await docker('logs', name), { cause: error });
  });

const inside = async (code: string): Promise<unknown> =>
  JSON.parse(await docker('exec', name, 'node', '--print', `JSON.stringify((() => { ${code} })())`));

const firstKey = () =>
  until('the first key', async () => /API key \(shown once\): (\S+)/.exec(await docker('logs', name))?.[1]);

beforeAll(async () => {
  port = await freePort();
  await docker('volume', 'create', volume);
  await start();
});
afterAll(async () => {
  await stop();
  await docker('volume', 'rm', volume);
});

describe('the image of the service', () => {
  it('is healthy soon after it starts', async () => {
    await healthy();
    expect(await docker('logs', name)).toContain('Listening on http://0.0.0.0:8080');
  });

  it('runs as nobody in particular and writes to its data and /tmp alone', async () => {
    const look = `
      const { accessSync, constants, existsSync } = require('node:fs');
      const isWritable = (path) => { try { accessSync(path, constants.W_OK); return true; } catch { return false; } };
      const writable = ['/', '/app', '/app/dist', '/usr', '/root', '/tmp', '/data'].filter(isWritable);
      return [process.getuid(), writable, existsSync(process.env.TEXT_BASE)];`;
    expect(await inside(look)).toEqual([10001, ['/tmp', '/data'], false]);
  });

  it('has JavaScript and the packages that run, and none that test or build', async () => {
    const look = `
      const { readdirSync } = require('node:fs');
      return [readdirSync('/app').sort(), readdirSync('/app/node_modules')];`;
    const [files, packages] = Array.from(Object.values(Object(await inside(look))));
    expect(files).toEqual(['cli', 'dist', 'node_modules', 'package.json', 'text-base']);
    expect(packages).toEqual(expect.arrayContaining(['hono', 'papaparse', 'zod']));
    for (const tool of ['esbuild', 'vitest', 'typescript', 'aws-cdk-lib']) expect(packages).not.toContain(tool);
  });

  it('makes a table over HTTP, and has it after a restart', async () => {
    const url = `http://127.0.0.1:${port}`;
    const tables = new SyntheticTables({ url, key: await firstKey() });
    const upload = await tables.upload(await openAsBlob(join(ROOT, 'examples', 'penguins.csv')), 'penguins.csv');
    const roles = roleFields(suggestedRoles(upload, 'body_mass_g'));
    await tables.generate({ job_id: upload.job_id, ...roles, n_samples: 200, seed: 7 });
    await tables.wait(upload.job_id);
    const first = await text((await tables.download(upload.job_id)).body);
    expect(first.trimEnd().split('\n')).toHaveLength(201);
    await docker('stop', '--time', '20', name);
    expect(await docker('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0');
    await stop();
    await start();
    await healthy();
    expect(await docker('logs', name)).not.toContain('API key');
    expect(await text((await tables.download(upload.job_id)).body)).toBe(first);
  });

  it('makes a key and a table of its own by other commands of the same image', async () => {
    expect(await docker('exec', name, 'node', 'cli/synth.mjs', 'keys', 'create', 'second')).toMatch(/\S{20,}/);
    const table = 'x,c\\n1,a\\n2,b\\n3,a\\n';
    const made = await docker(
      'exec',
      name,
      'sh',
      '-c',
      `printf '${table}' | node cli/synth.mjs - --auto -t x -n 5 -q --allow-few-rows`,
    );
    expect(made.split('\n')).toHaveLength(6);
  });
});
