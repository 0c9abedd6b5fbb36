import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedReportSchema } from '../../packages/contract/report.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();

const PRIVATE = {
  privacy: { epsilon: 2, delta: 1e-5 },
  domain: { area: { min: 0, max: 200, decimals: 1 }, city: { levels: ['Oslo', 'Bergen'] } },
  n_samples: 50,
  seed: 7,
};

async function finished(request: object): Promise<string> {
  const id = await service.newJob(housesCsv(240));
  const started = await service.post('/generate', { job_id: id, ...request });
  expect([started.status, started.error]).toEqual([200, null]);
  expect(await service.end(id)).toMatchObject({ status: 'done' });
  return id;
}

describe('?for=sharing', () => {
  it('of a private job gives a report and a status without figures of real rows, and so of more of its rows', async () => {
    const id = await finished(PRIVATE);
    const sample = await service.post(`/sample/${id}`, { rows: 20, seed: 1 });
    const { job_id: more } = z.object({ job_id: z.string() }).parse(sample.data);
    expect(await service.end(more)).toMatchObject({ status: 'done' });
    for (const own of [id, more]) {
      const page = await service.send('GET', `/report/${own}?for=sharing`);
      expect([page.status, page.headers.get('Content-Disposition')]).toEqual([
        200,
        'inline; filename="report-for-sharing.html"',
      ]);
      expect(page.text).not.toMatch(/240 rows|<script|https?:|\bsrc=|url\(|<!--receipt key-->/);
      const data = sharedReportSchema.parse((await service.send('GET', `/report/${own}.json?for=sharing`)).data);
      expect(data.job_id).toBe(own);
      const status = await service.send('GET', `/status/${own}?for=sharing`);
      expect(status.data).toMatchObject({ status: 'done', events: [], metrics: data.metrics });
      expect(status.text).not.toMatch(/240 rows|input_salt|Read \d/);
      const whole = await service.status(own);
      expect([typeof whole.input_salt, typeof whole.metrics?.numeric['KS (Avg)']]).toEqual(['string', 'number']);
    }
    const jobs = await service.send('GET', '/jobs?limit=2');
    expect(jobs.data).toMatchObject({ jobs: [{ figures_for_owner: true }, { figures_for_owner: true }] });
  });

  it('of any other job gives the status as it is, and no report', async () => {
    const id = await finished({ target: 'none', categorical_cols: ['city'], n_samples: 50, seed: 7 });
    expect((await service.send('GET', `/status/${id}?for=sharing`)).data).toEqual(
      (await service.send('GET', `/status/${id}`)).data,
    );
    const refused = await service.send('GET', `/report/${id}?for=sharing`);
    expect([verdict(refused), refused.error?.message]).toEqual([
      [404, 'no_result'],
      expect.stringContaining('made without privacy'),
    ]);
    expect(verdict(await service.send('GET', `/report/${id}?for=friends`))).toEqual([400, 'invalid_parameter']);
  });
});
