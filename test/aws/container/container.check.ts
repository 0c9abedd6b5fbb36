/** The container as Batch and Fargate run it: read-only, without privileges, as nobody, from S3 to S3. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamoKeyStore } from '../../../adapters/aws/openAws.ts';
import { RecordTable } from '../../../adapters/aws/recordTable.ts';
import { EXIT } from '../../../service/job/failures.ts';
import { slotOf } from '../../../service/job/job.ts';
import { until } from '../../ports/made.ts';
import { freePort } from '../localstack/freePort.ts';
import { makeStartedJobs, type StartedJobs } from '../support/startedJobs.ts';
import { clients } from '../support/storage.ts';
import { IMAGE } from './buildImage.ts';
import { docker } from './docker.ts';

/** As the job definition says, and no more than Fargate gives. The host's network reaches the emulator. */
const AS_DEPLOYED = [
  '--network',
  'host',
  '--read-only',
  '--memory',
  '4g',
  '--init=false',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
];

const AWS_VARIABLES = ['AWS_ENDPOINT_URL', 'AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/** Where a job looks for it when it is told of none. */
const READ_BASE = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { readTextBase } from '/app/dist/packages/synthesis/models/text/base/readTextBase.js';
  const folder = '/app/text-base/';
  const files = readdirSync(folder).map((name) => [name, readFileSync(folder + name)]);
  console.log(readTextBase(new Map(files)).architecture.layers + ' layers');
`;

let started: StartedJobs;
const names: string[] = [];
beforeAll(async () => {
  started = await makeStartedJobs();
});
afterAll(async () => {
  for (const name of names) await docker('rm', '--force', '--volumes', name);
  await started.remove();
});

/** Starts a container and gives back its name. */
async function start(environment: Record<string, string>, ...command: string[]): Promise<string> {
  const name = `synthetic-tables-${randomUUID()}`;
  names.push(name);
  const given = Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const aws = AWS_VARIABLES.flatMap((key) => ['--env', key]);
  await docker('run', '--detach', '--name', name, ...AS_DEPLOYED, ...aws, ...given, IMAGE, ...command);
  return name;
}

const startJob = (jobId: string, run: number): Promise<string> =>
  start({
    ...started.environment,
    JOB_ID: jobId,
    JOB_ATTEMPT: '1',
    AWS_BATCH_JOB_ID: 'b-1',
    AWS_BATCH_JOB_ATTEMPT: String(run),
  });

/** Its exit code, when it ends. */
const end = async (name: string): Promise<number> => Number(await docker('wait', name));

describe('the container', () => {
  it('finishes a job from S3 to S3', async () => {
    const id = await started.start(400, 300);
    const name = await startJob(id, 1);
    expect([await end(name), await docker('logs', name)]).toEqual([EXIT.done, expect.stringContaining('job_done')]);
    await started.expectResult(id, 300);
  });

  it('sent SIGTERM in the middle, hands its job back within seconds; run again, the job ends done', async () => {
    const id = await started.start(40_000, 60_000);
    const first = await startJob(id, 1);
    await started.inTheMiddle(id);
    const began = performance.now();
    await docker('stop', '--time', '30', first);
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(await end(first)).toBe(EXIT.handedBack);
    expect(await started.service.jobs.find(id)).toMatchObject({ state: 'started', attempt: 1 });
    expect(await started.service.jobs.slots()).toContain(slotOf(id, 1));
    expect(await end(await startJob(id, 2))).toBe(EXIT.done);
    await started.expectResult(id, 60_000);
  });

  it('has the base language model', async () => {
    const name = await start({}, '--input-type=module', '--eval', READ_BASE);
    expect([await end(name), await docker('logs', name)]).toEqual([0, expect.stringContaining('30 layers')]);
  });

  it('takes uploads where it is told to', async () => {
    const port = await freePort();
    const keys = new DynamoKeyStore(new RecordTable(clients.records, started.environment.TABLE_NAME), {
      now: () => new Date(),
    });
    const { key } = await keys.create('client', []);
    const name = await start({ ...started.environment, HOST: '127.0.0.1', PORT: String(port) }, 'dist/server/main.js');
    const url = `http://127.0.0.1:${port}`;
    await until(
      'the upload service',
      () =>
        fetch(url)
          .then(({ ok }) => ok)
          .catch(() => false),
      60_000,
    );
    const form = new FormData();
    form.set('file', new File(['x,c\n1,a\n2,b\n3,a\n'], 'table.csv'));
    const reply = await fetch(`${url}/upload`, { method: 'POST', headers: { 'X-API-Key': key }, body: form });
    expect(await reply.json()).toMatchObject({ success: true, data: { columns: ['x', 'c'], n_rows: 3 } });
    await docker('stop', '--time', '20', name);
    expect([await end(name), await docker('logs', name)]).toEqual([0, expect.stringContaining('Listening on')]);
  });

  it('says which variables it was not given', async () => {
    const name = await start({});
    expect(await end(name)).toBe(EXIT.badEnvironment);
  });

  it('runs as nobody in particular and writes to /tmp alone', async () => {
    const look = `
      const { accessSync, constants, readdirSync, writeFileSync } = require('node:fs');
      const isWritable = (path) => { try { accessSync(path, constants.W_OK); return true; } catch { return false; } };
      writeFileSync('/tmp/one', 'x');
      console.log(JSON.stringify([process.getuid(), ['/', '/app', '/usr', '/root', '/tmp'].filter(isWritable), readdirSync('/app').sort()]));`;
    const [uid, writable, files] = JSON.parse(await docker('run', '--rm', ...AS_DEPLOYED, IMAGE, '-e', look));
    expect([uid, writable]).toEqual([10001, ['/tmp']]);
    expect(files).toEqual(['dist', 'node_modules', 'package.json', 'text-base']);
  });

  it('has the packages that run, and none that test or build', async () => {
    const packages = JSON.parse(
      await docker('run', '--rm', IMAGE, '-p', `JSON.stringify(require('node:fs').readdirSync('/app/node_modules'))`),
    );
    expect(packages).toEqual(expect.arrayContaining(['@aws-sdk', 'hono', 'papaparse', 'zod']));
    for (const name of ['vitest', 'typescript', 'aws-cdk-lib', '@biomejs']) expect(packages).not.toContain(name);
  });
});
