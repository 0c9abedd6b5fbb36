/** What `npm pack` would publish, looked at without installing it; `npm run test:install` installs and uses it. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { VERSION } from '../../packages/contract/version.ts';
import { copyDist } from '../support/builtDist.ts';
import { root } from '../support/imports.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const manifest = z
  .object({
    version: z.string(),
    bin: z.record(z.string(), z.string()),
    exports: z.record(z.string(), z.union([z.string(), z.object({ types: z.string(), default: z.string() })])),
    dependencies: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()),
    engines: z.object({ node: z.string() }),
    private: z.undefined().optional(),
  })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

const folder = makeFolder();
const dist = join(folder.path, 'dist');
const textsOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: dist }).map((name) => readFileSync(join(dist, name), 'utf8'));

beforeAll(() => copyDist(dist), 180_000);
afterAll(() => folder.remove());

describe('the package', () => {
  it('has the version that the program and README.md say', () => {
    expect(VERSION).toBe(manifest.version);
    expect(textsOf('packages/contract/version.js')).toEqual([`export const VERSION = "${manifest.version}";\n`]);
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`synthetic-tables-${manifest.version}.tgz`);
  });

  it('has what its exports name, with declarations', () => {
    const paths = Object.values(manifest.exports).flatMap((path) =>
      typeof path === 'string' ? [] : Object.values(path),
    );
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) expect(existsSync(join(folder.path, path)), path).toBe(true);
  });

  it('has the notices of what is bundled, and a bill of materials of what it needs', () => {
    const notices = textsOf('NOTICES.txt').join();
    expect(notices).toMatch(/^preact 1\d\.[\s\S]*MIT/m);
    const bill = z
      .object({ components: z.array(z.object({ name: z.string() })) })
      .parse(JSON.parse(textsOf('sbom.cdx.json').join()));
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...Object.keys(manifest.dependencies), 'preact']));
    expect(names).not.toContain('vitest');
  });

  it('asks for nothing but its dependencies, never for a bundler', () => {
    const imported = textsOf('**/*.js').flatMap((text) =>
      [...text.matchAll(/(?:^(?:import|export)\b[^'"]*from |^import |import\()['"]([^.'"][^'"]*)['"]/gm)].map(
        ([, name = '']) => name,
      ),
    );
    const packages = imported
      .filter((name) => !isBuiltin(name))
      .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    const known = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    expect(new Set(packages).size).toBeGreaterThan(10);
    expect([...new Set(packages)].filter((name) => !known.includes(name))).toEqual([]);
  });

  it('runs no TypeScript, and has a source map with its source beside each module', () => {
    const paths = [...textsOf('**/*.js'), ...textsOf('**/*.d.ts')].flatMap((text) =>
      [...text.matchAll(/(?:from |import\(|new URL\()['"](\.[^'"]+\.tsx?)['"]/g)].map(([, path]) => path),
    );
    expect(paths).toEqual([]);
    const map = z.object({ sourcesContent: z.array(z.string()) });
    for (const text of textsOf('packages/client/*.js.map'))
      expect(map.parse(JSON.parse(text)).sourcesContent).toHaveLength(1);
  });

  it('is refused by a Node that is too old, in one line', () => {
    mkdirSync(join(folder.path, 'cli'));
    const launcher = join(folder.path, 'cli', 'synth.mjs');
    copyFileSync(join(root, 'cli', 'synth.mjs'), launcher);
    const asNode = (version: string) => {
      const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
      return spawnSync(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(older)}`, launcher]);
    };
    expect(manifest.engines.node).toBe('>=20.11');
    for (const version of ['18.20.8', '20.10.0']) {
      const { status, stderr } = asNode(version);
      expect([status, String(stderr)]).toEqual([
        1,
        expect.stringMatching(/^synthetic-tables needs Node\.js 20\.11 .*\n$/),
      ]);
    }
    // It goes on to load the program, whose dependencies are not beside this copy.
    expect(String(asNode('20.11.0').stderr)).toContain('ERR_MODULE_NOT_FOUND');
  });

  it('starts what its commands name', () => {
    expect(Object.keys(manifest.bin)).toEqual(['synthetic-tables', 'synth']);
    for (const path of Object.values(manifest.bin)) expect(existsSync(join(root, path))).toBe(true);
    for (const name of ['server/main', 'server/keys', 'cli/main', 'cli/verify', 'cli/textBase', 'gpu-job/main']) {
      expect(existsSync(join(dist, `${name}.js`)), name).toBe(true);
    }
  });
});
