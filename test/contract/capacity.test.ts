import { describe, expect, it } from 'vitest';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv } from '../support/tables.ts';

const service = useDeployment();

describe('POST /generate at capacity', () => {
  it('admits three jobs at once and tells the others when to come back', async () => {
    const table = housesCsv(400);
    const ids = await Promise.all(Array.from({ length: 6 }, () => service.newJob(table)));
    const request = { target_col: 'price', continuous_cols: ['area'], text_cols: ['note'], n_samples: 20_000 };
    const replies = await Promise.all(ids.map((id) => service.post('/generate', { job_id: id, ...request })));
    const refused = replies.filter((reply) => reply.status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(replies.length - refused.length).toBeGreaterThanOrEqual(3);
    for (const reply of refused) {
      expect(verdict(reply)).toEqual([429, 'capacity_exceeded']);
      expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    }
    await Promise.all(ids.map((id) => service.send('DELETE', `/jobs/${id}`)));
  });
});
