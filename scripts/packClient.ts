/** `npm run pack:client`: the client as a package for other projects: one JavaScript file, its types, no dependency. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import packageJson from '../package.json' with { type: 'json' };
import { contractTypes } from './client/contractTypes.ts';

const root = join(import.meta.dirname, '..');

const MANIFEST = {
  name: '@synthetic-tables/client',
  version: packageJson.version,
  description: 'Speaks to a service of synthetic tables: from a browser, from Node, with no dependency.',
  license: packageJson.license,
  type: 'module',
  sideEffects: false,
  exports: { types: './index.d.ts', default: './index.js' },
  engines: { node: '>=20' },
};

/** Writes the package into a fresh folder. */
async function makePackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(root, 'client', 'index.ts')],
    outfile: join(folder, 'index.js'),
    ...{ bundle: true, format: 'esm', platform: 'neutral', target: 'es2022', logLevel: 'warning' },
  });
  writeTypes(folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`);
}

/** A declaration names its neighbours as files of JavaScript, and the contract stands for itself. */
function writeTypes(folder: string): void {
  const declared = mkdtempSync(join(tmpdir(), 'client-types-'));
  try {
    run(join(root, 'node_modules', '.bin', 'tsc'), [
      ...['--ignoreConfig', join(root, 'client', 'index.ts'), '--outDir', declared, '--rootDir', root],
      ...['--declaration', '--emitDeclarationOnly', '--strict', '--skipLibCheck', '--allowImportingTsExtensions'],
      ...['--target', 'es2024', '--module', 'nodenext', '--exactOptionalPropertyTypes', '--types', 'node'],
    ]);
    for (const name of readdirSync(join(declared, 'client'))) {
      const text = readFileSync(join(declared, 'client', name), 'utf8');
      writeFileSync(join(folder, name), text.replace(/(from\s+['"]\.\/\w+)\.ts(['"])/g, '$1.js$2'));
    }
    writeFileSync(join(folder, 'contract.d.ts'), contractTypes());
  } finally {
    rmSync(declared, { recursive: true, force: true });
  }
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}

const folder = resolve(process.argv[2] ?? join(root, '.cache', 'client'));
rmSync(folder, { recursive: true, force: true });
await makePackage(folder);
console.log(`Wrote ${folder}. In another project: npm install ${folder}`);
