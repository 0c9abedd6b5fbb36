/** `docs/extending.md`, "Add a route", done: a file with the route, and its line in the table. */
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../api/app.ts';
import { allowed } from '../infra/support/policies.ts';
import { flat, ofType, synthesise } from '../infra/support/synthesise.ts';
import { KEY, memoryService } from '../support/memoryService.ts';
import { filePart, MULTIPART, multipart } from '../support/multipart.ts';

// The file is `support/fileName.ts`; this is the line.
vi.mock('../../api/routes.ts', async (load) => {
  const { fileName } = await import('./support/fileName.ts');
  const { ROUTE_GROUPS } = await load<typeof import('../../api/routes.ts')>();
  return { ROUTE_GROUPS: { ...ROUTE_GROUPS, fileName: [fileName] } };
});

const app = createApp(memoryService(), { corsOrigins: [] });
const headers = { 'X-API-Key': KEY };
const replySchema = z.object({ data: z.record(z.string(), z.unknown()) });
const dataOf = async (response: Response) => replySchema.parse(await response.json()).data;

describe('a new route', () => {
  it('is answered, to those with a key', async () => {
    const body = multipart([filePart('x,c\n1,a\n')]);
    const sent = { method: 'POST', body, headers: { ...headers, 'Content-Type': MULTIPART } };
    const { job_id } = await dataOf(await app.request('/upload', sent));
    const answer = await app.request(`/jobs/${job_id}/file_name`, { headers });
    expect(await dataOf(answer)).toEqual({ file_name: 'table.csv' });
    expect((await app.request(`/jobs/${job_id}/file_name`)).status).toBe(401);
    expect((await app.request(`/jobs/${job_id}/file_name`, { method: 'POST', headers })).status).toBe(405);
  });

  it('stands in the description of the interface', async () => {
    const { paths } = z
      .object({ paths: z.record(z.string(), z.unknown()) })
      .parse(await (await app.request('/docs', { headers })).json());
    expect(paths['/jobs/{job_id}/file_name']).toMatchObject({ get: { summary: 'What the uploaded file was called' } });
  });

  it('has a function on AWS, which API Gateway calls and which may look a job up', { timeout: 180_000 }, () => {
    const { template } = synthesise();
    const [id] =
      ofType(template, 'AWS::Lambda::Function').find(([, { Properties }]) =>
        String(Properties.Description).startsWith('fileName: GET /jobs/{job_id}/file_name'),
      ) ?? [];
    const methods = ofType(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => flat(Properties));
    expect(methods.filter((method) => id && method.includes(id))).toHaveLength(1);
    expect(allowed(template).get('FunctionsfileNameRole')).toEqual([
      'dynamodb:GetItem JOB#* KEY#*',
      'logs:CreateLogStream own log',
      'logs:PutLogEvents own log',
    ]);
  });
});
