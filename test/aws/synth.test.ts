import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { synthesise } from '../infra/support/synthesise.ts';
import { root } from '../support/imports.ts';
import { makeFolder, temporaryFolder } from '../support/temporaryFolder.ts';

const run = promisify(execFile);

const home = makeFolder();
afterAll(home.remove);

/** No account, no home, and no way out of the machine. */
const OFFLINE = {
  PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
  HOME: home.path,
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  AWS_EC2_METADATA_DISABLED: 'true',
};

const synth = (out: string) =>
  run(join(root, 'node_modules', '.bin', 'cdk'), ['synth', '--quiet', '--output', out], { cwd: root, env: OFFLINE });

const typeOf = ({ Type }: { Type: string }): string => Type;

const resourcesSchema = z.object({ Resources: z.record(z.string(), z.object({ Type: z.string() })) });
const manifestSchema = z.object({ missing: z.array(z.unknown()).optional() });
const assetsSchema = z.object({
  files: z.record(z.string(), z.unknown()),
  dockerImages: z.record(z.string(), z.object({ source: z.object({ dockerFile: z.string() }) })),
});

describe('cdk synth', () => {
  it('works as the project is cloned, without network and account, and finds nothing to complain of', async () => {
    const out = temporaryFolder();
    await synth(out);
    const read = (file: string): unknown => JSON.parse(readFileSync(join(out, file), 'utf8'));
    expect(manifestSchema.parse(read('manifest.json')).missing ?? []).toEqual([]);
    const { files, dockerImages } = assetsSchema.parse(read('synthetic-tables-dev.assets.json'));
    // The template, and a bundle for each function; some functions differ in their settings alone.
    expect(Object.keys(files).length).toBeGreaterThan(1);
    expect(Object.values(dockerImages).map(({ source }) => source.dockerFile)).toEqual([
      'gpu-job/Dockerfile',
      'gpu-job/Dockerfile',
    ]);
    const { Resources } = resourcesSchema.parse(read('synthetic-tables-dev.template.json'));
    const known = Object.values(synthesise().template.Resources);
    expect(Object.values(Resources).map(typeOf).sort()).toEqual(known.map(typeOf).sort());
  }, 120_000);

  it('refuses settings that cannot be, saying which', async () => {
    const context = JSON.stringify({ maxRunningJobs: 'none' });
    const options = { cwd: root, env: { ...OFFLINE, CDK_CONTEXT_JSON: context } };
    await expect(run('node', [join('infra', 'run.mjs')], options)).rejects.toMatchObject({
      stderr: expect.stringContaining('maxRunningJobs must be a whole number from 1 to 1000; found "none".'),
    });
  });
});
