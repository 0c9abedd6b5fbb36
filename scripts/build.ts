/** `npm run build [-- FOLDER]`: writes the package's dist/; `npm pack` runs it. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { BUNDLE_FILE } from '../mcp/bundleFile.ts';
import { bundledFolders, NOTICES_FILE, noticesOf } from '../mcp/notices.ts';
import { pack } from '../mcp/pack.ts';
import { VERSION } from '../packages/contract/version.ts';
import { assetInputs, assetsModule } from '../web/assets.ts';

const root = join(import.meta.dirname, '..');
const target = resolve(process.argv[2] ?? join(root, 'dist'));
/** Built beside the target, so that readers and concurrent builds never see a part. */
const dist = `${target}.${process.pid}`;

const FINISHED: Record<string, () => Promise<string>> = {
  'web/assets': assetsModule,
  'server/mcpBundle': async () =>
    `import { readFile } from 'node:fs/promises';
export const mcpBundle = async () => new Uint8Array(await readFile(new URL('../mcp/${BUNDLE_FILE}', import.meta.url)));
`,
  'packages/contract/version': async () => `export const VERSION = ${JSON.stringify(VERSION)};\n`,
};

/** Relative .ts paths that the compiler keeps: of threads, and in declarations. */
const LEFT = [/(new URL\('\.{1,2}\/[\w./-]+)\.ts(')/g, /((?:from |import\()['"]\.{1,2}\/[\w./-]+)\.ts(['"])/g];

function compile(): void {
  const compiler = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const { status } = spawnSync(
    process.execPath,
    [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', dist],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) throw new Error('The sources were not compiled.');
}

function nameJavaScript(): void {
  for (const name of globSync('**/*.{js,d.ts}', { cwd: dist })) {
    const path = join(dist, name);
    const text = readFileSync(path, 'utf8');
    const named = LEFT.reduce((now, pattern) => now.replace(pattern, '$1.js$2'), text);
    if (named !== text) writeFileSync(path, named);
  }
}

const ASSETS = ['compact.gguf', 'compact.NOTICE.txt'].map((name) => `packages/synthesis/models/text/base/${name}`);

async function finish(): Promise<void> {
  for (const name of ASSETS) copyFileSync(join(root, name), join(dist, name));
  for (const [name, moduleText] of Object.entries(FINISHED)) {
    writeFileSync(join(dist, `${name}.js`), await moduleText());
    rmSync(join(dist, `${name}.js.map`));
  }
  for (const name of ['package.json', ...globSync('mcp/{pack,notices}.*', { cwd: dist })]) rmSync(join(dist, name));
  writeFileSync(join(dist, 'mcp', BUNDLE_FILE), await pack(VERSION));
  const inPages = bundledFolders(await assetInputs());
  writeFileSync(join(dist, NOTICES_FILE), noticesOf(inPages));
  writeFileSync(join(dist, 'sbom.cdx.json'), billOfMaterials(inPages));
}

const componentSchema = z.looseObject({
  name: z.string(),
  properties: z.array(z.object({ name: z.string(), value: z.string() })),
});
const billSchema = z.looseObject({
  metadata: z.looseObject({ component: componentSchema }),
  components: z.array(componentSchema),
});

/** Reproducible. Throws if npm fails. */
function billOfMaterials(bundled: readonly string[]): string {
  const { status, stdout } = spawnSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('npm sbom failed: npm 10 or newer is needed.');
  const { serialNumber: _, metadata, components, ...bill } = billSchema.parse(JSON.parse(stdout));
  const { timestamp: __, ...facts } = metadata;
  const isShipped = ({ name, properties }: z.infer<typeof componentSchema>): boolean =>
    bundled.includes(`node_modules/${name}`) || !properties.some((own) => own.name === 'cdx:npm:package:development');
  const named = { ...facts, component: { ...facts.component, name: 'synthetic-tables' } };
  return `${JSON.stringify({ ...bill, metadata: named, components: components.filter(isShipped) }, null, 1)}\n`;
}

/** Another build may replace it in between. */
function replaceTarget(): void {
  for (;;) {
    rmSync(target, { recursive: true, force: true });
    try {
      renameSync(dist, target);
      return;
    } catch (error) {
      if (!existsSync(target)) throw error;
    }
  }
}

try {
  compile();
  nameJavaScript();
  await finish();
  replaceTarget();
} finally {
  rmSync(dist, { recursive: true, force: true });
}
