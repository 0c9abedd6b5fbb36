import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { strToU8, zipSync } from 'fflate';
import { bundledFolders, NOTICES_FILE, noticesOf } from './notices.ts';
import { STDIO_ENVIRONMENT, STDIO_TOOLS } from './stdioTools.ts';

/** Zip's earliest time; makes bundles reproducible. */
const TIME = new Date('1980-01-01T00:00:00');

/** zod's fifty languages are a quarter of a bundle. */
export const ENGLISH_ALONE: Plugin = {
  name: 'english-alone',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ resolveDir }) =>
      /[/\\]zod[/\\]/.test(resolveDir) ? { path: join(resolveDir, '..', 'locales', 'en.js') } : undefined,
    );
  },
};

/** Bundled CommonJS packages need `require`. */
export const BANNER =
  "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);";

async function bundleServer(version: string): Promise<{ server: Uint8Array; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, 'stdio.ts')],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
    metafile: true,
    define: { BUNDLED_VERSION: JSON.stringify(version) },
    plugins: [ENGLISH_ALONE],
    banner: { js: BANNER },
  });
  const [server] = outputFiles;
  if (!server) throw new Error('the server was not bundled');
  return { server: server.contents, inputs: Object.keys(metafile.inputs) };
}

export async function pack(version: string): Promise<Uint8Array> {
  const { server, inputs } = await bundleServer(version);
  const files = {
    'manifest.json': strToU8(`${JSON.stringify(manifest(version), null, 2)}\n`),
    'server/index.mjs': server,
    [NOTICES_FILE]: strToU8(noticesOf(bundledFolders(inputs))),
  };
  return zipSync(files, { mtime: TIME, level: 9 });
}

function manifest(version: string) {
  return {
    manifest_version: '0.3',
    name: 'synthetic-tables',
    display_name: 'Synthetic tables',
    version,
    description: 'Makes synthetic tables: invented rows that behave like the real ones.',
    long_description:
      'Uploads a table from this machine to the service, generates a synthetic one, follows the job, and saves the result.',
    author: { name: 'Synthetic tables' },
    license: 'Apache-2.0',
    server: {
      type: 'node',
      entry_point: 'server/index.mjs',
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/server/index.mjs`],
        env: {
          [STDIO_ENVIRONMENT.url]: `\${user_config.url}`,
          [STDIO_ENVIRONMENT.key]: `\${user_config.key}`,
          [STDIO_ENVIRONMENT.folder]: `\${user_config.folder}`,
        },
      },
    },
    tools: STDIO_TOOLS.map(({ name, description }) => ({ name, description })),
    user_config: {
      url: {
        type: 'string',
        title: 'Address of the service',
        description: 'Such as https://tables.example.org, without a path.',
        required: true,
        default: 'http://127.0.0.1:8080',
      },
      key: {
        type: 'string',
        title: 'API key',
        description: 'The key that the operator of the service gave you.',
        required: true,
        sensitive: true,
      },
      folder: {
        type: 'directory',
        title: 'Folder of tables',
        description: 'The assistant may upload tables from here and save tables here, and nowhere else.',
        required: true,
        default: `\${HOME}`,
      },
    },
    compatibility: { runtimes: { node: '>=20.0.0' } },
  };
}
