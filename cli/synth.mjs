#!/usr/bin/env node
// Starts the packaged JavaScript or, in a checkout, the sources by scripts/run.mjs. Parses on Node 14, to refuse old
// versions with a message.
import { existsSync } from 'node:fs';
import * as module from 'node:module';

/** Programs by first word; other words belong to `synth`. */
const PROGRAMS = {
  serve: 'server/main',
  keys: 'server/keys',
  backup: 'server/backup',
  verify: 'cli/verify',
  'text-base': 'cli/textBase',
};
const FAULT = 1;

const checkout = new URL('../scripts/run.mjs', import.meta.url);

function takeProgram() {
  const [name] = process.argv.slice(2, 3);
  if (!Object.keys(PROGRAMS).includes(name)) return 'cli/main';
  process.argv.splice(2, 1);
  return PROGRAMS[name];
}

/** Keep equal to `engines` in package.json. */
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
  // Node 22 and newer cache compiled code.
  const { compileCacheEnvironment } = await import(new URL('../dist/adapters/local/cacheFolder.js', import.meta.url));
  const { NODE_COMPILE_CACHE } = compileCacheEnvironment();
  if (NODE_COMPILE_CACHE) module.enableCompileCache?.(NODE_COMPILE_CACHE);
  await import(new URL(`../dist/${takeProgram()}.js`, import.meta.url));
}
