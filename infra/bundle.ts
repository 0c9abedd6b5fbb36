/**
 * Each function as one ES module, with everything in it. The AWS SDK is bundled, not taken from the runtime: the version
 * is the one that the tests ran with, what is not called is left out, and a single minified file starts faster than the
 * runtime's folder of modules.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import { FUNCTIONS, type FunctionName } from './lambdaNames.ts';

const ROOT = join(import.meta.dirname, '..');

/** CommonJS packages inside an ES module ask for Node's own modules by `require`. */
const BANNER = "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);";

const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  keepNames: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  absWorkingDir: ROOT,
  banner: { js: BANNER },
} as const satisfies BuildOptions;

export interface Bundle {
  name: FunctionName;
  /** The folder to deploy: index.mjs, and what its worker threads run. */
  folder: string;
  bytes: number;
  metafile: Metafile;
}

/** Files that a bundle starts as worker threads, by the entry that does. They lie beside index.mjs. */
const WORKERS: Partial<Record<FunctionName, Record<string, string>>> = {
  upload: { profileWorker: 'adapters/local/profileWorker.ts' },
};

export const entryOf = (name: FunctionName): string => join(ROOT, 'lambdas', `${name}.ts`);

/** Builds every function whose handler is there into `outFolder/<name>`. */
export function bundleLambdas(outFolder: string, names: readonly FunctionName[] = FUNCTIONS): Bundle[] {
  return names.map((name) => bundle(name, outFolder));
}

function bundle(name: FunctionName, outFolder: string): Bundle {
  if (!existsSync(entryOf(name))) throw new Error(`lambdas/${name}.ts is not there.`);
  const folder = join(outFolder, name);
  mkdirSync(folder, { recursive: true });
  const { metafile } = buildSync({
    ...OPTIONS,
    entryPoints: { index: entryOf(name), ...WORKERS[name] },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
  });
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  return { name, folder, bytes, metafile };
}
