/** Bundles the AWS SDK: the tested version, and faster to start than the runtime's. */
import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { BUNDLE_FILE } from '../mcp/bundleFile.ts';
import { bundledFolders, NOTICES_FILE, noticesOf } from '../mcp/notices.ts';
import { BANNER, ENGLISH_ALONE, pack } from '../mcp/pack.ts';
import { VERSION } from '../packages/contract/version.ts';
import { assetInputs, assetsModule } from '../web/assets.ts';
import { entryOf, FUNCTIONS, type FunctionName, needs } from './lambdas.ts';

const ROOT = join(import.meta.dirname, '..');

/** Functions have neither the pages' sources nor esbuild. */
const PAGES_READY: Plugin = {
  name: 'pages-ready',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]web[/\\]assets\.ts$/ }, async () => ({ contents: await assetsModule() }));
  },
};

const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  absWorkingDir: ROOT,
  plugins: [ENGLISH_ALONE, PAGES_READY],
  banner: { js: BANNER },
} as const satisfies BuildOptions;

export interface Bundle {
  name: FunctionName;
  folder: string;
  bytes: number;
}

/** The worker must lie beside index.mjs. */
const UPLOAD_WORKER = { profileWorker: 'adapters/local/profileWorker.ts' };

export async function bundleLambdas(outFolder: string, names: readonly FunctionName[] = FUNCTIONS): Promise<Bundle[]> {
  const entries = names.flatMap((name) => {
    const workers = needs(name, 'take upload') ? Object.entries(UPLOAD_WORKER) : [];
    return [[`${name}/index`, entryOf(name)], ...workers.map(([file, entry]) => [`${name}/${file}`, entry])];
  });
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: Object.fromEntries(entries),
    outdir: outFolder,
    outExtension: { '.js': '.mjs' },
  });
  const notices = noticesOf(bundledFolders([...Object.keys(metafile.inputs), ...(await assetInputs())]));
  for (const name of names) writeFileSync(join(outFolder, name, NOTICES_FILE), notices);
  const giving = names.filter((name) => needs(name, 'give assistant bundle'));
  await addAssistantBundle(giving.map((name) => join(outFolder, name)));
  return names.map((name) => {
    const folder = join(outFolder, name);
    const files = Object.entries(metafile.outputs).filter(([path]) => dirname(resolve(ROOT, path)) === resolve(folder));
    return { name, folder, bytes: files.reduce((sum, [, { bytes }]) => sum + bytes, 0) };
  });
}

async function addAssistantBundle(folders: readonly string[]): Promise<void> {
  if (folders.length === 0) return;
  const bytes = await pack(VERSION);
  for (const folder of folders) writeFileSync(join(folder, BUNDLE_FILE), bytes);
}
