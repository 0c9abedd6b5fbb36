import { execFileSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../api/app.ts';
import { describeRoutes } from '../../../api/openapi/document.ts';
import { samplesOf } from '../../../api/pages/samples.ts';

const calls = Object.entries(describeRoutes(ROUTES, '1.2.3').paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);
const codeOf = (language: string) =>
  calls.map(({ method, path, operation }) => ({
    title: `${method} ${path}`,
    code: samplesOf(method, path, operation).find((sample) => sample.language === language)?.code ?? '',
  }));

describe('samples', () => {
  it('are there in three languages for every call, each with its address and method', () => {
    for (const { method, path, operation } of calls) {
      const samples = samplesOf(method, path, operation);
      expect(samples.map(({ language }) => language)).toEqual(['curl', 'TypeScript', 'Python']);
      const [start = ''] = path.split('{');
      for (const { code } of samples) expect(code).toContain(start);
    }
  });

  it('read a table as text, and an answer in an envelope as JSON', () => {
    const of = (title: string) => codeOf('TypeScript').find((sample) => sample.title === title)?.code;
    expect(of('get /download/{job_id}')).toContain('await answer.text()');
    expect(of('get /status/{job_id}')).toContain('await answer.json()');
  });

  it('in TypeScript are modules that can be parsed', () => {
    for (const { title, code } of codeOf('TypeScript')) {
      expect(() => stripTypeScriptTypes(`export {};\n${code}`), title).not.toThrow();
    }
  });

  it('in curl are commands that a shell can parse, with the key only where it is asked for', () => {
    for (const { title, code } of codeOf('curl')) {
      expect(() => execFileSync('sh', ['-n', '-c', code], { stdio: 'pipe' }), title).not.toThrow();
    }
    const [open] = codeOf('curl').filter(({ title }) => title === 'get /api-docs');
    expect(open?.code).not.toContain('X-API-Key');
  });
});
