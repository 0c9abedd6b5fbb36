import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextInLine, orderOf, placeIn, type QueueStanding } from '../../../service/job/queue.ts';
import type { JobLine, QueuedJob } from '../../../service/ports.ts';

const at = (second: number): string => new Date(1_800_000_000_000 + 1000 * second).toISOString();

/** `A3` is a job of key A that was queued in second 3. */
const waiting = (name: string, estimate: Partial<QueuedJob['estimate']> = {}): QueuedJob => ({
  jobId: name,
  attempt: 1,
  keyId: name.charAt(0),
  queuedAt: at(Number(name.slice(1))),
  estimate: { memoryMb: 100, seconds: 10, ...estimate },
});
const lineOf = (jobs: QueuedJob[], served: [string, number][] = []): JobLine => ({
  jobs,
  served: new Map(served.map(([key, second]) => [key, at(second)])),
});
const named = (names: string, served: [string, number][] = []): JobLine =>
  lineOf(names === '' ? [] : names.split(' ').map((name) => waiting(name)), served);
const idsOf = (line: JobLine): string =>
  orderOf(line)
    .map(({ jobId }) => jobId)
    .join(' ');

const active = (keyId: string, startedAt = at(0), seconds: number | null = 10) => ({
  keyId,
  startedAt,
  estimate: seconds === null ? null : { memoryMb: 100, seconds },
});
const standing = (line: JobLine, more: Partial<QueueStanding> = {}): QueueStanding => ({
  line,
  active: [],
  slotsTaken: more.active?.length ?? 0,
  maxRunning: 3,
  maxRunningPerKey: 3,
  freeMb: null,
  ...more,
});

describe('orderOf', () => {
  it.each([
    ['of one key, the oldest first', 'A3 A1 A2', [], 'A1 A2 A3'],
    ['of several, in turns', 'A1 A2 A3 B4 C5 B6', [], 'A1 B4 C5 A2 B6 A3'],
    ['a key that was served stands behind one that waits longer', 'A2 A3 B4', [['A', 5]], 'B4 A2 A3'],
    ['but before one that came after that', 'A2 A3 B6', [['A', 5]], 'A2 B6 A3'],
    ['a key served long ago waits since its job came', 'A9 B4', [['A', 1]], 'B4 A9'],
    ['nobody waits', '', [], ''],
  ] as const)('%s', (_title, names, served, order) => {
    expect(
      idsOf(
        named(
          names,
          served.map(([key, second]) => [key, second]),
        ),
      ),
    ).toBe(order);
  });

  it('is the same in whatever order the store lists them', () => {
    const line = named('A1 A2 B1 C1 B2 A3', [['B', 1]]);
    const order = idsOf(line);
    fc.assert(
      fc.property(fc.shuffledSubarray(line.jobs, { minLength: 6 }), (jobs) => {
        expect(idsOf({ ...line, jobs })).toBe(order);
      }),
      { seed: 3, numRuns: 50 },
    );
  });

  it('starves nobody: while others come without end, every key is served before any of them twice', () => {
    const served = new Map<string, string>();
    let jobs = [waiting('A1'), ...Array.from({ length: 5 }, (_, i) => waiting(`B${i}`))];
    const starts: string[] = [];
    for (let second = 10; second < 20; second++) {
      const [first] = orderOf({ jobs, served });
      jobs = [...jobs.filter((job) => job !== first), waiting(`C${second}`), waiting(`D${second}`)];
      starts.push(first!.keyId);
      served.set(first!.keyId, at(second));
    }
    expect(starts.slice(0, 2).sort()).toEqual(['A', 'B']);
    expect(starts.filter((key) => key === 'B').length).toBeGreaterThanOrEqual(3);
  });
});

describe('nextInLine', () => {
  const next = (line: JobLine, more: Partial<QueueStanding> = {}) => nextInLine(standing(line, more))?.jobId;

  it('is the first in turn, and nobody where all slots are taken', () => {
    expect(next(named('A1 B2'))).toBe('A1');
    expect(next(named('A1 B2'), { slotsTaken: 3 })).toBeUndefined();
    expect(next(named(''))).toBeUndefined();
  });

  it('passes over a key at its own limit, and lets it have its turn when it is below', () => {
    const busy = { maxRunningPerKey: 1, active: [active('A')] };
    expect(next(named('A1 A2 B3'), busy)).toBe('B3');
    expect(next(named('A1 A2'), busy)).toBeUndefined();
    expect(next(named('A1 A2 B3'), { maxRunningPerKey: 1 })).toBe('A1');
  });

  it('waits for memory that ends of others will give, and is not overtaken meanwhile', () => {
    const line = lineOf([waiting('A1', { memoryMb: 900 }), waiting('B2')]);
    expect(next(line, { freeMb: 500, active: [active('C')] })).toBeUndefined();
    expect(next(line, { freeMb: 900, active: [active('C')] })).toBe('A1');
  });

  it('lets others pass one that finds no memory where nothing runs', () => {
    const line = lineOf([waiting('A1', { memoryMb: 900 }), waiting('B2')]);
    expect(next(line, { freeMb: 500 })).toBe('B2');
    expect(next(line, { freeMb: 50 })).toBeUndefined();
  });
});

describe('placeIn', () => {
  const NOW = Date.parse(at(4));
  const place = (id: string, line: JobLine, more: Partial<QueueStanding> = {}) =>
    placeIn(standing(line, more), id, NOW);

  it('counts from 1, in turns', () => {
    const places = ['A1', 'A2', 'B3'].map((id) => place(id, named('A1 A2 B3'))?.position);
    expect(places).toEqual([1, 3, 2]);
    expect(place('Z1', named('A1'))).toBeUndefined();
  });

  it('expects a wait for the jobs that run, then for those before, over all slots', () => {
    const running = { maxRunning: 2, active: [active('C', at(0), 20), active('C', at(2), 10)] };
    const line = named('A1 A2 A3 A4');
    // Ends in 8 and 16 s; then 8 + 10 = 18 and 16 + 10 = 26 s.
    expect(['A1', 'A2', 'A3', 'A4'].map((id) => place(id, line, running)?.seconds)).toEqual([8, 16, 18, 26]);
  });

  it('expects of a job that takes longer than was expected a tenth of that more', () => {
    expect(place('A1', named('A1'), { maxRunning: 1, active: [active('C', at(-100), 30)] })?.seconds).toBe(3);
  });

  it('says null where the length of a job before is not known', () => {
    expect(place('A1', named('A1'), { maxRunning: 1, active: [active('C', at(0), null)] })?.seconds).toBeNull();
    const line = lineOf([waiting('A1', { seconds: null }), waiting('A2')]);
    expect(place('A2', line, { maxRunning: 1, active: [active('C')] })?.seconds).toBeNull();
    expect(place('A1', line, { maxRunning: 1, active: [active('C')] })?.seconds).toBe(6);
  });
});
