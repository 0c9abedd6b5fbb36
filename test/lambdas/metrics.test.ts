import { describe, expect, it } from 'vitest';
import { ending, metricLine, standing } from '../../lambdas/metrics.ts';
import type { Job } from '../../service/job/job.ts';
import { NOT_STARTED, newJob } from '../support/jobFixtures.ts';

const NOW = new Date('2026-11-03T10:00:00.000Z');

const jobIn = (state: Job['state'], startedAt: string | null = null, error: Job['error'] = null): Job => ({
  ...newJob('1'),
  ...NOT_STARTED,
  state,
  attempt: 1,
  startedAt,
  error,
});

describe('standing', () => {
  it('counts jobs by state, slots, and the seconds of the job that waits longest', async () => {
    const active = [
      jobIn('started', '2026-11-03T09:59:00.000Z'),
      jobIn('started', '2026-11-03T09:50:00.000Z'),
      jobIn('running', '2026-11-03T08:00:00.000Z'),
    ];
    const waits = { jobId: 'e', attempt: 1, keyId: 'k', queuedAt: '', estimate: { memoryMb: 1, seconds: null } };
    const line = async () => ({ jobs: [waits], served: new Map() });
    const figures = await standing({ active: async () => active, slots: async () => ['a', 'b', 'c', 'd'], line }, NOW);
    expect(figures).toEqual({
      JobsStarted: 2,
      JobsRunning: 1,
      SlotsTaken: 4,
      JobsQueued: 1,
      OldestWaitingSeconds: 600,
    });
  });

  it('says zero where no job waits', async () => {
    const none = { active: async () => [], slots: async () => [], line: async () => ({ jobs: [], served: new Map() }) };
    expect(Object.values(await standing(none, NOW))).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('ending', () => {
  const runs = { attempts: [{ startedAt: 0, stoppedAt: 90_000 }, { startedAt: 100_000, stoppedAt: 130_000 }, {}] };

  it('adds up the minutes of all runs, and says how the job ended by its record', () => {
    expect(ending(jobIn('done'), runs)).toEqual({ JobMinutes: 2, JobsDone: 1 });
    expect(
      ending(jobIn('failed', null, { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } }), runs),
    ).toEqual({
      JobMinutes: 2,
      JobsFailed: 1,
    });
  });

  it('counts apart what failed for want of the GPU', () => {
    const error: Job['error'] = { code: 'no_compute', params: { reason: 'engine_not_started', backend: 'cuda' } };
    expect(ending(jobIn('failed', null, error), {})).toEqual({ JobMinutes: 0, JobsFailed: 1, GpuJobsFailed: 1 });
  });

  it('counts a cancelled or erased job neither as done nor as failed', () => {
    expect(ending(jobIn('failed', null, { code: 'cancelled', params: { reason: 'cancelled' } }), {})).toEqual({
      JobMinutes: 0,
    });
    expect(ending(undefined, {})).toEqual({ JobMinutes: 0 });
  });
});

describe('metricLine', () => {
  it("is one line in CloudWatch's embedded metric format", () => {
    const line = metricLine('synthetic-tables-dev', { SlotsTaken: 2, OldestWaitingSeconds: 7 }, NOW);
    expect(JSON.parse(line)).toEqual({
      _aws: {
        Timestamp: NOW.getTime(),
        CloudWatchMetrics: [
          {
            Namespace: 'synthetic-tables-dev',
            Dimensions: [[]],
            Metrics: [
              { Name: 'SlotsTaken', Unit: 'Count' },
              { Name: 'OldestWaitingSeconds', Unit: 'Seconds' },
            ],
          },
        ],
      },
      SlotsTaken: 2,
      OldestWaitingSeconds: 7,
    });
  });
});
