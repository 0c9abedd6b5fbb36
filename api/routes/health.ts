import { type HealthReply, healthReplySchema } from '../../packages/contract/replies.ts';
import { succeeded } from '../http/refused.ts';
import type { Route } from '../http/route.ts';

export const health: Route = {
  method: 'get',
  path: '/health',
  access: 'key',
  needs: ['count jobs'],
  summary: 'Health and load of the service',
  description: 'Counts jobs and says whether a GPU was found.',
  reply: {
    contentType: 'application/json',
    data: healthReplySchema,
    description: 'The health of the service.',
    example: {
      status: 'ok',
      gpu_available: false,
      gpu_name: null,
      active_jobs: 1,
      total_jobs: 12,
      timestamp: '2026-11-03T09:15:00.000+00:00',
    },
  },
  refusals: [],
  async handle(c) {
    const { jobs, gpu, clock } = c.get('service');
    const [counts, found] = await Promise.all([jobs.counts(), gpu()]);
    const reply: HealthReply = {
      status: 'ok',
      gpu_available: found.available,
      gpu_name: found.name,
      active_jobs: counts.active,
      total_jobs: counts.total,
      timestamp: clock.now().toISOString().replace('Z', '+00:00'),
    };
    return c.json(succeeded(reply));
  },
};
