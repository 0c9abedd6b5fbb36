import { describe, expect, it } from 'vitest';
import { healthReplySchema } from '../../packages/contract/replies.ts';
import { useDeployment } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();

describe('GET /health', () => {
  it('reports state, GPU, jobs and the time with its offset', async () => {
    const reply = await service.send('GET', '/health');
    const health = healthReplySchema.strict().parse(reply.data);
    expect(reply.status).toBe(200);
    expect(health.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/);
    expect(Math.abs(Date.parse(health.timestamp) - Date.now())).toBeLessThan(60_000);
    if (!health.gpu_available) expect(health.gpu_name).toBeNull();
  });

  it('counts a new job', async () => {
    const total = async () => healthReplySchema.parse((await service.send('GET', '/health')).data).total_jobs;
    const before = await total();
    const id = await service.newJob(housesCsv());
    expect(await total()).toBe(before + 1);
    await service.send('DELETE', `/jobs/${id}`);
    expect(await total()).toBe(before);
  });
});
