import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../../api/app.ts';
import { describeRoutes } from '../../../api/openapi/document.ts';

async function problemsOf(document: unknown): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
}

describe('the OpenAPI document', () => {
  it('passes the linter without a warning', async () => {
    expect(await problemsOf(describeRoutes(ROUTES, '1.2.3'))).toEqual([]);
  });

  it('is really looked at: the linter finds an operation without answers and a path parameter that is not declared', async () => {
    const document = describeRoutes(ROUTES, '1.2.3');
    const { '/status/{job_id}': status } = document.paths;
    const spoilt = {
      ...document,
      paths: { '/status/{job_id}': { get: { ...status?.get, parameters: [], responses: {} } } },
    };
    const found = (await problemsOf(spoilt)).join('\n');
    expect(found).toContain('operation-4xx-response');
    expect(found).toContain('path-parameters-defined');
  });
});
