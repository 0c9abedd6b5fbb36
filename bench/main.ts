/** `npm run bench -- [name …]`: runs the named benches, or all of them; `--list` only names them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, isBench } from './support/bench.ts';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();

async function loadBench(name: string): Promise<Bench> {
  const module: { bench?: unknown } = await import(join(import.meta.dirname, `${name}.ts`));
  if (!isBench(module.bench)) throw new Error(`bench/${name}.ts exports no bench`);
  return module.bench;
}

async function list(): Promise<void> {
  const width = Math.max(...names.map((name) => name.length));
  for (const name of names) console.log(`${name.padEnd(width)}  ${(await loadBench(name)).title}`);
}

async function runAll(chosen: string[]): Promise<void> {
  for (const name of chosen) {
    const bench = await loadBench(name);
    console.log(`\n== ${name}: ${bench.title}\n`);
    const start = performance.now();
    try {
      await bench.run();
    } catch (error) {
      console.error(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    }
    console.log(`\n(${((performance.now() - start) / 1000).toFixed(1)} s)`);
  }
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => name !== '--list' && !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are:`);
  process.exitCode = 2;
}
if (unknown.length > 0 || asked.includes('--list')) await list();
else await runAll(asked.length > 0 ? asked : names);
