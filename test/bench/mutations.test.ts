import { describe, expect, it } from 'vitest';
import { mutateRequests, mutateStored } from '../support/mutations.ts';

/** A short slice of `npm run bench -- mutations`. */
describe('what was changed at random', () => {
  it('as a request, is never answered by 500', async () => {
    const { statuses, faults } = await mutateRequests(200, 7);
    expect(faults).toEqual([]);
    expect([statuses.get(200), statuses.get(400)].every((count) => (count ?? 0) > 10)).toBe(true);
  });

  it('as a record or an object, is never answered by 500, nor signed', async () => {
    const { statuses, faults } = await mutateStored(50, 7);
    expect(faults).toEqual([]);
    expect(statuses.get(503)).toBeGreaterThan(10);
  });
});
