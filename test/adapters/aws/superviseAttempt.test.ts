import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { LeaseTimes } from '../../../adapters/aws/runOnBatch.ts';
import { type Supervision, superviseAttempt } from '../../../adapters/aws/runOnBatch.ts';
import { ServiceError } from '../../../packages/contract/errors.ts';
import type { JobFailure } from '../../../packages/contract/problems.ts';
import { EXIT } from '../../../service/job/failures.ts';
import { recordingLog } from '../../support/localQueue.ts';

/** No machine is so busy that it loses a lease of this. */
const TIMES: LeaseTimes = { beatMs: 20, lostMs: 15_000, quietMs: 30_000 };
/** For what is to lose its lease, or nearly. */
const TIGHT = { times: { beatMs: 20, lostMs: 150, quietMs: 300 } };
const NARROW = { times: { beatMs: 20, lostMs: 500, quietMs: 1000 } };
const BUSY = 'for (;;);';

/** A supervision of a child that runs `code`; what was written into the record stands in `said`. */
function supervise(code: string, over: Partial<Supervision> = {}, lease: Partial<Supervision['lease']> = {}) {
  const said: string[] = [];
  const stopping = new AbortController();
  let pid: number | undefined;
  const supervision: Supervision = {
    attempt: { jobId: 'a', attempt: 1 },
    lease: {
      claim: async () => true,
      beat: async () => true,
      handBack: async () => Boolean(said.push('handed back')),
      ...lease,
    },
    jobs: {
      fail: async (_id: string, _attempt: number, failure: JobFailure) => Boolean(said.push(failure.code)),
      freeSlot: async (slot: string) => void said.push(`freed ${slot}`),
    },
    spawn: () => {
      const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'pipe'] });
      pid = child.pid;
      return child;
    },
    stopping: stopping.signal,
    times: TIMES,
    isFirstRun: true,
    timeoutSeconds: 60,
    clock: { now: () => new Date('2026-11-03T09:00:00Z') },
    log: recordingLog().log,
    ...over,
  };
  const isGone = () => {
    if (pid === undefined) return true;
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };
  return { said, stopping, isGone, ended: superviseAttempt(supervision) };
}

const after = (ms: number, work: () => void) => setTimeout(work, ms);

describe('superviseAttempt', () => {
  it.each([EXIT.done, EXIT.failed, EXIT.over])(
    'passes on the exit code %i of a child that has said all',
    async (code) => {
      const { ended, said } = supervise(`process.exit(${code})`);
      expect([await ended, said]).toEqual([code, []]);
    },
  );

  it('records the end of a child that crashed, and of one that ran out of memory', async () => {
    const crashed = supervise('process.abort()');
    expect([await crashed.ended, crashed.said]).toEqual([EXIT.failed, ['crashed', 'freed a#1']]);
    const heap = supervise(`console.error('FATAL ERROR: JavaScript heap out of memory'); process.abort()`);
    expect([await heap.ended, heap.said[0]]).toEqual([EXIT.failed, 'out_of_memory']);
  });

  it('hands back the attempt of a child that was killed, once', async () => {
    const code = `process.kill(process.pid, 'SIGKILL'); ${BUSY}`;
    const first = supervise(code);
    expect([await first.ended, first.said]).toEqual([EXIT.handedBack, ['handed back']]);
    const second = supervise(code, { isFirstRun: false });
    expect([await second.ended, second.said]).toEqual([EXIT.failed, ['crashed', 'freed a#1']]);
  });

  it('starts nothing where the attempt is over, or run elsewhere', async () => {
    const { ended, said, isGone } = supervise(BUSY, {}, { claim: async () => false });
    expect([await ended, said, isGone()]).toEqual([EXIT.over, [], true]);
  });

  it('kills a child whose thread is busy when the machine goes, and hands the attempt back', async () => {
    const { ended, said, stopping, isGone } = supervise(BUSY);
    after(200, () => stopping.abort());
    expect([await ended, said, isGone()]).toEqual([EXIT.handedBack, ['handed back'], true]);
  });

  it('is over where the attempt that is to be handed back is over', async () => {
    const { ended, said, stopping } = supervise(BUSY, {}, { handBack: async () => false });
    after(100, () => stopping.abort());
    expect([await ended, said]).toEqual([EXIT.over, ['freed a#1']]);
  });

  it('hands back what it waits for when the machine goes', async () => {
    const claim = (signal: AbortSignal) =>
      new Promise<boolean>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { ended, stopping } = supervise(BUSY, {}, { claim });
    after(50, () => stopping.abort());
    expect(await ended).toBe(EXIT.handedBack);
  });

  it('kills the child when the attempt is over, and frees its slot', async () => {
    let beats = 0;
    const { ended, said, isGone } = supervise(BUSY, {}, { beat: async () => ++beats < 5 });
    expect([await ended, said, isGone()]).toEqual([EXIT.over, ['freed a#1'], true]);
  });

  it('lets a child end that has said itself that the attempt is over', async () => {
    const child = spawn(process.execPath, ['-e', `process.stdin.once('data', () => process.exit(${EXIT.done}))`]);
    const beat = async () => {
      child.stdin.write('end');
      return false;
    };
    const times = { ...TIMES, beatMs: 2000 };
    const { ended, said } = supervise('', { times, spawn: () => child }, { beat });
    expect([await ended, said]).toEqual([EXIT.done, []]);
  });

  it('kills the child when the lease cannot be kept, and writes nothing: another takes over', async () => {
    const beat = () => Promise.reject(new Error('no network'));
    const { ended, said, isGone } = supervise(BUSY, TIGHT, { beat });
    expect([await ended, said, isGone()]).toEqual([EXIT.handedBack, [], true]);
  });

  it('kills the child when a beat never comes back', async () => {
    const { ended } = supervise(BUSY, TIGHT, { beat: () => new Promise<boolean>(() => {}) });
    expect(await ended).toBe(EXIT.handedBack);
  });

  it('keeps a lease through beats that fail now and then', async () => {
    let beats = 0;
    const beat = async () => {
      if (++beats % 3 === 0) throw new Error('a hiccup');
      return true;
    };
    const { ended } = supervise(`setTimeout(() => process.exit(${EXIT.done}), 1500)`, NARROW, { beat });
    expect(await ended).toBe(EXIT.done);
    expect(beats).toBeGreaterThan(5);
  });

  it('fails a job that takes longer than it may', async () => {
    const { ended, said, isGone } = supervise(BUSY, { timeoutSeconds: 0.2 });
    expect([await ended, said, isGone()]).toEqual([EXIT.failed, ['timeout', 'freed a#1'], true]);
  });

  it('tells by its exit code that the records cannot be reached', async () => {
    const claim = () => Promise.reject(new ServiceError({ reason: 'data_folder_unavailable' }));
    expect(await supervise(BUSY, {}, { claim }).ended).toBe(EXIT.storageUnavailable);
  });
});
