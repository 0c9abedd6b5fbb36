import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycle, type Import, importsOf, projectFiles, root } from './support/imports.ts';

const files = projectFiles();
const imports = files.flatMap(importsOf);
const source = files.filter((file) => !/^(test|bench|scripts)\//.test(file) && file.includes('/'));

/** Folders (or packages) that files under a folder may import. Whoever is not named may not be imported. */
const ALLOWED: Record<string, RegExp> = {
  numerics: /^numerics\//,
  domain: /^(domain|numerics)\/|^(zod|papaparse|xlsx|fflate|hyparquet-writer)$/,
  'gpu-job/tensor': /^gpu-job\/tensor\/|^onnxruntime-node$|^@tensorflow\/|^node:os$/,
  'gpu-job/models': /^(gpu-job\/(models|tensor)|numerics|domain)\/|^zod$|^node:(worker_threads|os|events)$/,
  'gpu-job/metrics': /^(gpu-job\/(metrics|models)|numerics|domain)\/|^zod$/,
  'gpu-job/report': /^(gpu-job\/(report|models|metrics)|numerics|domain)\/|^vega(-lite)?$/,
  'gpu-job/pipeline': /^(gpu-job\/(pipeline|models|metrics|report)|numerics|domain)\/|^zod$|^node:crypto$/,
  api: /^(api|domain|client|mcp)\/|^web\/assets\.ts$|^(hono|@hono|zod|@fastify|@modelcontextprotocol)(\/|$)|^node:(stream|crypto)/,
  client: /^client\//,
  'web/assets.ts': /^(esbuild|node:path)$/,
  web: /^web\/|^(preact|papaparse)(\/|$)/,
  cli: /^(cli|client|adapters\/local|api|domain|server)\/|^package\.json$|^node:/,
  mcp: /^(mcp|client|domain\/schema)\/|^domain\/table\/cutRecords\.ts$|^(zod|papaparse|esbuild|fflate|@modelcontextprotocol\/.+)$|^node:/,
  'adapters/shared': /^domain\/|^zod$|^node:/,
  'adapters/local': /^(adapters\/(local|shared)|domain)\/|^zod$|^node:/,
  'adapters/aws': /^(adapters\/(aws|shared)|domain)\/|^zod$|^node:|^@aws-sdk\//,
  lambdas:
    /^(lambdas|adapters|api|domain)\/|^mcp\/bundleFile\.ts$|^server\/(settings|jsonLog)\.ts$|^package\.json$|^(zod|aws-lambda)$|^node:/,
  infra:
    /^infra\/|^domain\/(job\/|errors\.ts$)|^mcp\/(pack|bundleFile)\.ts$|^web\/assets\.ts$|^package\.json$|^(aws-cdk-lib|constructs|cdk-nag|esbuild|zod)(\/|$)|^node:/,
};

/** What they may know the types of, since these vanish at run time. */
const TYPES_ALLOWED: Record<string, RegExp> = {
  client: /^domain\//,
  api: /^web\/logic\/contract\.ts$/,
  web: /^domain\//,
};

const folderOf = (file: string) =>
  Object.keys(ALLOWED).find((folder) => file === folder || file.startsWith(`${folder}/`));
const show = (found: Import[]) => found.map(({ from, to }) => `${from} → ${to}`);

describe('architecture', () => {
  it.each(Object.keys(ALLOWED))('%s imports only what lies below it', (folder) => {
    const allows = ({ to, typeOnly }: Import) =>
      ALLOWED[folder]?.test(to) || (typeOnly && TYPES_ALLOWED[folder]?.test(to));
    const wrong = imports.filter((found) => folderOf(found.from) === folder && !allows(found));
    expect(show(wrong)).toEqual([]);
  });

  it('lets only the adapters for AWS, and tests, speak to the SDK', () => {
    const wrong = imports.filter(({ from, to }) => to.startsWith('@aws-sdk/') && !/^(adapters\/aws|test)\//.test(from));
    expect(show(wrong)).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(findCycle(imports)).toBeUndefined();
  });

  it('constructs adapters in entry files only', () => {
    const entries = /^(server\/[a-zA-Z]+|gpu-job\/main|lambdas\/.+|cli\/openLocal)\.ts$/;
    const wrong = imports.filter(
      ({ from, to }) =>
        source.includes(from) && to.startsWith('adapters/') && !from.startsWith('adapters/') && !entries.test(from),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('keeps the clock and unseeded randomness out of numerics, models and metrics', () => {
    const pure = source.filter((file) => /^(numerics|gpu-job\/(models|metrics))\//.test(file));
    const wrong = pure.filter((file) =>
      /Math\.random|Date\.now|new Date\(|performance\.now/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  it('marks no work as unfinished and silences no type error', () => {
    const unfinished = new RegExp(
      `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'HA' + 'CK'].join('|')})\\b|@ts-ignore|@ts-nocheck`,
    );
    const wrong = files.filter(
      (file) => unfinished.test(readFileSync(join(root, file), 'utf8')) && file !== 'test/architecture.test.ts',
    );
    expect(wrong).toEqual([]);
  });

  it('skips and focuses no test', () => {
    const tests = files.filter((file) => file.startsWith('test/') && file !== 'test/architecture.test.ts');
    const wrong = tests.filter((file) =>
      /\b(it|test|describe)\.(skip|only|todo|skipIf)\b/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });
});

describe('findCycle', () => {
  const edge = (from: string, to: string, typeOnly = false): Import => ({ from, to, typeOnly });

  it('finds a cycle over several files and ignores one that only types make', () => {
    expect(findCycle([edge('a', 'b'), edge('b', 'c'), edge('c', 'a')])).toEqual(['a', 'b', 'c', 'a']);
    expect(findCycle([edge('a', 'b'), edge('b', 'a', true)])).toBeUndefined();
  });
});
