import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as sources from '../../client/index.ts';
import { typeOf } from '../../scripts/client/typeOf.ts';
import { root } from '../support/imports.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

/** Another project, which knows nothing of this one but the package. */
const project = makeFolder();
const installed = join(project.path, 'node_modules', '@synthetic-tables', 'client');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts', 'packClient.ts'), installed], { stdio: 'pipe' });
  writeFileSync(join(project.path, 'package.json'), '{"type": "module"}');
}, 60_000);

afterAll(() => project.remove());

/** Errors of the compiler, at its strictest, in a project of the given file. */
function check(source: string, types: string): string {
  writeFileSync(join(project.path, 'use.ts'), source);
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--allowImportingTsExtensions',
  ];
  const about = ['--module', 'nodenext', '--target', 'es2024', '--noEmit', '--ignoreConfig', ...types.split(' ')];
  try {
    execFileSync(bin('tsc'), ['use.ts', ...about, ...options], { cwd: project.path, stdio: 'pipe' });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}

describe('the package of the client', () => {
  it('has what the sources have, and needs nothing', () => {
    const code = "console.log(JSON.stringify(Object.keys(await import('@synthetic-tables/client'))))";
    const names = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: project.path });
    expect(JSON.parse(String(names)).sort()).toEqual(Object.keys(sources).sort());
    const manifest: unknown = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(readFileSync(join(installed, 'index.js'), 'utf8')).not.toMatch(/^import /m);
  });

  it('has types of its own, for a page as for Node, that know a wrong field', () => {
    const use = (field: string) => `
      import { RefusedError, SyntheticTables, type UploadReply } from '@synthetic-tables/client';
      const tables = new SyntheticTables({ url: 'https://x.example', key: 'k' });
      const upload: UploadReply = await tables.upload(new Blob(['a']), 'a.csv');
      await tables.generate({ job_id: upload.job_id, ${field} });
      const share: number | null = (await tables.wait(upload.job_id)).metrics.numeric['KS (Avg)'];
      try { await tables.health(); } catch (error) { if (error instanceof RefusedError && error.code === 'no_result') throw share; }
      export {};`;
    expect(check(use("target_col: 'a', n_samples: 5"), '--lib es2024,dom,dom.iterable --types')).toBe('');
    const types = `--types node --typeRoots ${join(root, 'node_modules', '@types')}`;
    expect(check(use("target_col: 'a'"), types)).toBe('');
    expect(check(use('n_samples: true'), types)).toContain("'boolean' is not assignable");
  });

  it('says of the contract what the schemas say', () => {
    mkdirSync(join(project.path, 'node_modules'), { recursive: true });
    const requests = ['DetectFamilyRequest', 'GenerateRequestBody', 'SampleRequestBody'];
    const replies = [
      'CallbackSecretReply',
      'EstimateReply',
      'DetectFamilyReply',
      'EraseReply',
      'SampleReply',
      'GenerateReply',
      'HealthReply',
      'JobsReply',
      'Receipt',
      'ReportData',
      'StatusReply',
      'UploadReply',
    ];
    const lines = [
      `import type * as A from ${JSON.stringify(join(root, 'client', 'contract.ts'))};`,
      "import type * as B from '@synthetic-tables/client';",
      ...requests.map((name) => `export const to${name} = (x: B.${name}): A.${name} => x;`),
      ...replies.map((name) => `export const from${name} = (x: A.${name}): B.${name} => x;`),
      'export const codes = (x: A.ErrorCode): B.ErrorCode => x, back = (x: B.ErrorCode): A.ErrorCode => x;',
    ];
    const types = `--types node --skipLibCheck --resolveJsonModule --typeRoots ${join(root, 'node_modules', '@types')}`;
    expect(check(lines.join('\n'), types)).toBe('');
  }, 120_000);
});

describe('typeOf', () => {
  it('refuses a schema that it does not know, rather than say less', () => {
    expect(() => typeOf({ type: 'date' })).toThrow('no type is known');
  });

  it('writes what a schema says', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, description: 'Some.' },
        'b c': { const: 'x' },
      },
      required: ['a'],
    };
    expect(typeOf(schema)).toBe('{\n  /** Some. */\n  "a": Array<(number | null)>;\n  "b c"?: "x" | undefined;\n}');
    expect(typeOf({ type: 'object', additionalProperties: { type: 'number' } })).toBe('Record<string, number>');
  });
});
