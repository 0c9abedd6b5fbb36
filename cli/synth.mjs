#!/usr/bin/env node
// `synthetic-tables` and `synth`: from the package its JavaScript, in a checkout the sources, by scripts/run.mjs.
// Plain JavaScript that Node 14 parses, so that an old Node is refused in words.
import { existsSync } from 'node:fs';
import * as module from 'node:module';

/** What a first word starts; anything else is of the command line itself. */
const PROGRAMS = {
  serve: 'server/main',
  keys: 'server/keys',
  backup: 'server/backup',
  verify: 'cli/verify',
  'text-base': 'cli/textBase',
};
const FAULT = 1;

const checkout = new URL('../scripts/run.mjs', import.meta.url);

/** Takes the first word away where it names a program. */
function takeProgram() {
  const [name] = process.argv.slice(2, 3);
  if (!Object.keys(PROGRAMS).includes(name)) return 'cli/main';
  process.argv.splice(2, 1);
  return PROGRAMS[name];
}

/** The least version is said in `engines` of package.json, too. */
function isTooOld() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 11);
}

if (existsSync(checkout)) {
  process.argv.splice(2, 0, `${takeProgram()}.ts`);
  await import(checkout);
} else if (isTooOld()) {
  process.stderr.write(`synthetic-tables needs Node.js 20.11 or newer; this is ${process.version}.\n`);
  process.exitCode = FAULT;
} else {
  // Node 22 and newer: compiled code is kept from one start to the next.
  const { compileCacheEnvironment } = await import(new URL('../dist/adapters/local/cacheFolder.js', import.meta.url));
  const { NODE_COMPILE_CACHE } = compileCacheEnvironment();
  if (NODE_COMPILE_CACHE) module.enableCompileCache?.(NODE_COMPILE_CACHE);
  await import(new URL(`../dist/${takeProgram()}.js`, import.meta.url));
}
