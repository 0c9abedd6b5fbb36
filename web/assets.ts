/**
 * Scripts and style sheet of the pages, built from this folder when the first page is asked for. In the package and in the
 * bundled functions, `assetsModule` stands in this module's place, so that nothing is built there.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Assets {
  style: string;
  /** GET / */
  homeScript: string;
  /** GET /api-docs */
  docsScript: string;
  /** A table to try: CSV. */
  example: string;
}

const EXAMPLE = join(import.meta.dirname, '..', 'examples', 'appointments.csv');
const ENTRIES = ['app/main.tsx', 'docs/docs.ts', 'style.css'];

let built: Promise<Assets> | undefined;

/** Built once: later calls wait for, and get, the same. */
export function assets(): Promise<Assets> {
  built ??= buildAssets();
  return built;
}

/** The text of a module that stands for this one where there are neither sources nor esbuild. */
export const assetsModule = async (): Promise<string> =>
  `const built = ${JSON.stringify(await buildAssets())};\nexport const assets = async () => built;\n`;

/** Paths of all that is in them, for the notices of what is distributed. */
export const assetInputs = async (): Promise<string[]> => Object.keys((await bundleAssets()).metafile.inputs);

async function bundleAssets() {
  const { buildSync } = await import('esbuild');
  // In one go: `build` would leave a process behind that lives as long as the service.
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
