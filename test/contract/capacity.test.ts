import { describe, expect, it } from 'vitest';
import { until } from '../ports/made.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();

/** On AWS, slots are looked after once a minute where no event of Batch comes. */
const START_MS = 90_000;

describe('POST /generate at capacity', () => {
  it('admits three jobs at once, lets the others wait where they ask for it, and tells them when to come back', async () => {
    const table = housesCsv(400);
    const ids = await Promise.all(Array.from({ length: 6 }, () => service.newJob(table)));
    const request = { target_col: 'price', continuous_cols: ['area'], text_cols: ['note'], n_samples: 20_000 };
    const replies = await Promise.all(ids.map((id) => service.post('/generate', { job_id: id, ...request })));
    const refused = replies.filter((reply) => reply.status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(replies.length - refused.length).toBeGreaterThanOrEqual(3);
    const waiting = ids[replies.findIndex((reply) => reply.status === 429)] ?? '';
    const [running] = ids.filter((_, i) => replies[i]?.status === 200);
    const queued = await service.post('/generate', { job_id: waiting, ...request, queue: true });
    expect(queued).toMatchObject({ status: 200, data: { status: 'queued', job_id: waiting } });
    expect(await service.status(waiting)).toMatchObject({ status: 'queued', queue: { position: 1 } });
    await service.send('DELETE', `/jobs/${running}`);
    await until(
      'the job that waits to start',
      async () => (await service.status(waiting)).status !== 'queued',
      START_MS,
    );
    expect(['started', 'running']).toContain((await service.status(waiting)).status);
    for (const reply of refused) {
      expect(verdict(reply)).toEqual([429, 'capacity_exceeded']);
      expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    }
    await Promise.all(ids.map((id) => service.send('DELETE', `/jobs/${id}`)));
  });
});
