/** What `.dockerignore` lets into the images: the build has to find there all that it reads. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { root } from '../support/imports.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

it('is enough to build the service from', () => {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const [first, ...allowed] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect(first).toBe('*');
  for (const line of allowed) {
    expect(line).toMatch(/^![\w.-]+$/);
    cpSync(join(root, line.slice(1)), join(folder.path, line.slice(1)), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: folder.path, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(existsSync(join(folder.path, 'dist', 'server', 'main.js'))).toBe(true);
});

const DOCKERFILES = ['gpu-job/Dockerfile', 'server/Dockerfile'];
const IMPORT = /from '(\.{1,2}\/[^']+)'/g;

it.each(DOCKERFILES)('lets %s copy, beside a source, what it imports', (name) => {
  const copies = [...readFileSync(join(root, name), 'utf8').matchAll(/^COPY (?!--from)(.+) \S+$/gm)];
  const sources = copies.flatMap(([, paths = '']) => paths.split(' ')).filter((path) => path.endsWith('.ts'));
  for (const source of sources)
    for (const [, to = ''] of readFileSync(join(root, source), 'utf8').matchAll(IMPORT))
      expect(sources, source).toContain(join(dirname(source), to));
});
