/** scripts/run.mjs, in a checkout of its own where an npm that takes its time "installs" the Node that runs this test. */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/imports.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** As npm ci: removes node_modules first, and notes that it ran. */
const NPM = `
import { appendFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
appendFileSync('npm-ran', 'x');
rmSync('node_modules', { recursive: true, force: true });
await new Promise((resolve) => setTimeout(resolve, 4000));
mkdirSync('node_modules/node/bin', { recursive: true });
symlinkSync(process.execPath, process.platform === 'win32' ? 'node_modules/node/bin/node.exe' : 'node_modules/node/bin/node');
`;

function checkout(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'scripts'));
  copyFileSync(join(root, 'scripts', 'run.mjs'), join(folder, 'scripts', 'run.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  writeFileSync(join(folder, 'npm.mjs'), NPM);
  writeFileSync(join(folder, 'entry.mjs'), 'console.log("it ran");');
  return folder;
}

function start(folder: string): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [join(folder, 'scripts', 'run.mjs'), 'entry.mjs'], {
    env: { PATH: process.env.PATH, npm_execpath: join(folder, 'npm.mjs'), NODE_COMPILE_CACHE: join(folder, 'cache') },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += String(part)));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })));
}

it('installs once for commands that start at the same time, and each of them runs', async () => {
  const folder = checkout();
  const ended = await Promise.all([start(folder), start(folder), start(folder)]);
  for (const { code, said } of ended) expect([code, said]).toEqual([0, expect.stringContaining('it ran')]);
  expect(readFileSync(join(folder, 'npm-ran'), 'utf8')).toBe('x');
  expect(ended.filter(({ said }) => said.includes('Waiting for another command'))).toHaveLength(2);
  expect(existsSync(join(folder, '.installing'))).toBe(false);
});

it('waits for no process that ended while it installed', async () => {
  const folder = checkout();
  writeFileSync(join(folder, '.installing'), String(2 ** 30));
  expect(await start(folder)).toMatchObject({ code: 0, said: expect.stringContaining('it ran') });
});
