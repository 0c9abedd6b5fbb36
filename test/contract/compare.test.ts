import { describe, expect, it } from 'vitest';
import { compareReplySchema, estimateReplySchema, statusReplySchema } from '../../packages/contract/replies.ts';
import { reportSchema } from '../../packages/contract/report.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();

const ROLES = { target_col: 'price', continuous_cols: ['area', 'rooms'], categorical_cols: ['city'], seed: 7 };

const [header = '', ...lines] = housesCsv(360).trimEnd().split('\n');
const part = (from: number, to: number): string => `${[header, ...lines.slice(from, to)].join('\n')}\n`;
const [REAL, HELD, FRESH] = [part(0, 120), part(120, 240), part(240, 360)];

const started = async (body: object) => {
  const reply = await service.post('/compare', { ...ROLES, ...body });
  expect([reply.status, reply.error]).toEqual([200, null]);
  return compareReplySchema.parse(reply.data);
};

const outcome = async (body: object) => verdict(await service.post('/compare', { ...ROLES, ...body }));

describe('POST /compare', () => {
  it('judges an upload beside others, which stay as they are', async () => {
    const [real, held, copies] = [await service.newJob(REAL), await service.newJob(HELD), await service.newJob(REAL)];
    const reply = await started({ job_id: copies, real_job_id: real, holdout_job_id: held });
    expect(reply).toEqual({ status: 'started', job_id: copies, compared_with: real });
    const done = statusReplySchema.parse(await service.end(copies));
    expect(done).toMatchObject({ status: 'done', compared_with: real, holdout_job_id: held, release: 'open' });
    expect(done.metrics?.measured_on).toMatchObject({ method: 'holdout', train: 120, holdout: 120 });
    expect(done.metrics?.verdicts?.find(({ area }) => area === 'privacy')).toMatchObject({ grade: 'poor' });
    expect(done.request).not.toHaveProperty('compared_with');

    const report = reportSchema.parse((await service.send('GET', `/report/${copies}.json`)).data);
    expect([report.job_id, report.rows]).toEqual(['comparison', { real: 120, synthetic: 120 }]);
    expect((await service.send('GET', `/report/${copies}`)).text).toContain('this report compares two tables');
    const rows = REAL.trimEnd()
      .split('\n')
      .map((line) => line.split(',').slice(0, 4).join(','));
    expect((await service.send('GET', `/download/${copies}`)).text.trimEnd().split('\n')).toEqual(rows);
    expect((await service.send('GET', `/receipt/${copies}`)).data).toMatchObject({
      manifest: { request: { compared_with: { job_id: real, holdout_job_id: held } } },
    });
    for (const id of [real, held]) {
      expect((await service.send('GET', `/status/${id}`)).data).toMatchObject({ status: 'uploaded' });
    }
    expect(await outcome({ job_id: copies, real_job_id: real })).toEqual([409, 'job_conflict']);
  });

  it('judges no attack without held-out rows, and says so', async () => {
    const [real, fresh] = [await service.newJob(REAL), await service.newJob(FRESH)];
    await started({ job_id: fresh, real_job_id: real });
    const { metrics } = statusReplySchema.parse(await service.end(fresh));
    expect(metrics?.measured_on?.method).toBe('halves');
    const { membership_inference, linkability_excess, exact_copies } = metrics?.privacy ?? {};
    const unknown = { value: null, verdict: null, reason: expect.stringContaining('did not see') };
    expect([membership_inference, linkability_excess]).toMatchObject([unknown, unknown]);
    expect(exact_copies).toMatchObject({ value: 0 });
  });

  it('takes tables without a target where the request says so', async () => {
    const [real, fresh] = [await service.newJob(REAL), await service.newJob(FRESH)];
    const body = { job_id: fresh, real_job_id: real, target_col: null };
    expect(await outcome(body)).toEqual([400, 'missing_target']);
    await started({ ...body, target: 'none' });
    const done = statusReplySchema.parse(await service.end(fresh));
    expect(done).toMatchObject({ status: 'done', request: { target_col: null } });
    expect(done).not.toHaveProperty('holdout_job_id');
  });

  it('fails where a table lacks a column, with its name and what to do', async () => {
    const [real, other] = [await service.newJob(REAL), await service.newJob('price,city\n1,Oslo\n2,Bergen\n3,Oslo\n')];
    await started({ job_id: other, real_job_id: real });
    expect(await service.end(other)).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_data', message: expect.stringMatching(/no column "area".*Rename the columns to match/) },
    });
  });

  it('refuses jobs that are one, unknown, or somebody else’s, before it starts anything', async () => {
    const [real, made] = [await service.newJob(REAL), await service.newJob(FRESH)];
    expect(await outcome({ job_id: made, real_job_id: made })).toEqual([409, 'job_conflict']);
    expect(await outcome({ job_id: made, real_job_id: real, holdout_job_id: real })).toEqual([409, 'job_conflict']);
    expect(await outcome({ job_id: made, real_job_id: 'nowhere' })).toEqual([400, 'invalid_job']);
    expect(await outcome({ job_id: made })).toEqual([400, 'invalid_parameter']);
    expect(await outcome({ job_id: made, real_job_id: real, target_col: 'nothing' })).toEqual([
      400,
      'column_not_found',
    ]);
    expect((await service.send('GET', `/status/${made}`)).data).toMatchObject({ status: 'uploaded' });
  });
});

describe('POST /compare/estimate', () => {
  it('says what the comparison would take, more with more rows, and starts nothing', async () => {
    const [real, made] = [await service.newJob(REAL), await service.newJob(FRESH)];
    const held = await service.newJob(housesCsv(40_000));
    const before = await service.traces();
    const of = async (body: object) => {
      const asked = { ...ROLES, job_id: made, real_job_id: real, ...body };
      return estimateReplySchema.parse((await service.post('/compare/estimate', asked)).data);
    };
    const without = await of({ strange: 1 });
    expect(without.stages.map(({ stage }) => stage)).toEqual(['start', 'metrics', 'write']);
    expect(without).toMatchObject({ cheaper: null, warnings: [expect.stringContaining('"strange"')] });
    expect(without.cpu_seconds.low).toBeLessThan(without.cpu_seconds.expected);
    const beside = await of({ holdout_job_id: held });
    expect(beside.cpu_seconds.expected).toBeGreaterThan(without.cpu_seconds.expected);
    expect(beside.memory_mb).toBeGreaterThan(without.memory_mb);
    expect((await service.send('GET', `/status/${made}`)).data).toMatchObject({ status: 'uploaded', progress: [] });
    expect(await service.traces()).toEqual(before);
  });

  it('refuses what the comparison would be refused for', async () => {
    const [real, made] = [await service.newJob(REAL), await service.newJob(FRESH)];
    for (const body of [
      { job_id: made, real_job_id: made },
      { job_id: made, real_job_id: 'nowhere' },
      { job_id: made, real_job_id: real, target_col: 'nothing' },
      { job_id: made, real_job_id: real, target_col: null },
    ]) {
      const asked = { ...ROLES, ...body };
      const reply = await service.post('/compare/estimate', asked);
      expect(reply.error).not.toBeNull();
      expect(reply.error).toEqual((await service.post('/compare', asked)).error);
    }
  });
});
