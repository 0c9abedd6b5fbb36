/** Builds scripts and styles on demand. Packages and bundled functions replace this module by `assetsModule`. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Assets {
  style: string;
  /** GET / */
  homeScript: string;
  /** GET /api-docs */
  docsScript: string;
  example: string;
}

const EXAMPLE = join(import.meta.dirname, '..', 'examples', 'appointments.csv');
const ENTRIES = ['app/main.tsx', 'docs/docs.ts', 'style.css'];

let built: Promise<Assets> | undefined;

/** Builds once. */
export function assets(): Promise<Assets> {
  built ??= buildAssets();
  return built;
}

/** Replaces this module where sources and esbuild are absent. */
export const assetsModule = async (): Promise<string> =>
  `const built = ${JSON.stringify(await buildAssets())};\nexport const assets = async () => built;\n`;

/** Input paths, for licence notices. */
export const assetInputs = async (): Promise<string[]> => Object.keys((await bundleAssets()).metafile.inputs);

async function bundleAssets() {
  const { buildSync } = await import('esbuild');
  // Synchronous, because `build` leaves a process running.
  return buildSync({
    absWorkingDir: import.meta.dirname,
    entryPoints: ENTRIES,
    outdir: '.',
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    tsconfigRaw: {},
  });
}

async function buildAssets(): Promise<Assets> {
  const { outputFiles } = await bundleAssets();
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const textOf = (name: string) => texts.get(name) ?? '';
  return {
    homeScript: textOf('main.js'),
    docsScript: textOf('docs.js'),
    style: textOf('style.css'),
    example: readFileSync(EXAMPLE, 'utf8'),
  };
}
