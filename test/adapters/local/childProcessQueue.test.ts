/** What becomes of a job whose process fails: its own job only, and for a reason that its client can read. */

import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { isAlive, Leases } from '../../../adapters/local/leases.ts';
import { isActive, type Job, slotOf } from '../../../service/job/job.ts';
import { until } from '../../ports/made.ts';
import { childrenOf, jobsOf } from '../../support/childrenOf.ts';
import { AT, newJob, requestFor } from '../../support/jobFixtures.ts';
import { makeLocalQueue } from '../../support/localQueue.ts';
import { saying } from '../../support/problems.ts';

let made: ReturnType<typeof makeLocalQueue>;
afterEach(() => made.dispose());

async function submitted(id: string, behaviour: string): Promise<void> {
  await made.jobs.create(newJob(id, behaviour));
  await made.jobs.takeSlot(slotOf(id, 1), 100);
  await made.jobs.start(id, 1, requestFor(id), AT);
  await made.queue.submit(id, 1);
}

const running = (id: string) => until(`${id} to run`, async () => (await made.jobs.find(id))?.state === 'running');

const ended = (id: string): Promise<Job> =>
  until(`the end of ${id}`, async () => {
    const job = await made.jobs.find(id);
    return job && !isActive(job.state) && !(await made.jobs.slots()).includes(slotOf(id, 1)) && job;
  });

describe('ChildProcessQueue', () => {
  it('says out of memory where a process takes more than it may have, and other jobs go on', async () => {
    made = makeLocalQueue();
    await submitted('bad', 'memory');
    await submitted('good', 'finish');
    expect(await ended('bad')).toMatchObject({
      state: 'failed',
      error: { code: 'out_of_memory', params: saying('fewer rows') },
    });
    expect(await ended('good')).toMatchObject({ state: 'done' });
  });

  it('ends a process that hangs, computing or idle, when its time is over, and says so', async () => {
    made = makeLocalQueue({ timeoutSeconds: 5 });
    await Promise.all([submitted('computing', 'hang'), submitted('idle', 'wait'), submitted('good', 'finish')]);
    for (const id of ['computing', 'idle']) {
      expect(await ended(id)).toMatchObject({
        error: { code: 'timeout', params: saying('5 seconds') },
      });
    }
    expect(await ended('good')).toMatchObject({ state: 'done' });
    expect(made.queue.attempts()).toEqual([]);
  });

  it('starts processes that the system kills before the server, with a bound on their heap', async () => {
    made = makeLocalQueue();
    await submitted('a', 'wait');
    await running('a');
    const pid = made.queue.processes().get(slotOf('a', 1)) ?? 0;
    expect(jobsOf(process.pid)).toContain(pid);
    if (process.platform !== 'linux') return;
    const of = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    expect(Number(of('oom_score_adj'))).toBe(500);
    expect(
      of('cmdline')
        .split('\0')
        .filter((flag) => flag.startsWith('--max-old-space-size=')),
    ).toHaveLength(2);
  });

  it('starts a job again whose process was killed, as the next attempt with its slot, and once', async () => {
    made = makeLocalQueue();
    const before = jobsOf(process.pid);
    await submitted('a', 'wait');
    const pids: number[] = [];
    for (const attempt of [1, 2]) {
      const pid = await until('a process', async () => {
        const job = await made.jobs.find('a');
        if (job?.state !== 'running' || job.attempt !== attempt) return undefined;
        return jobsOf(process.pid).find((each) => ![...before, ...pids].includes(each));
      });
      expect(await made.jobs.slots()).toEqual([slotOf('a', attempt)]);
      pids.push(pid);
      process.kill(pid, 'SIGKILL');
    }
    expect(await ended('a')).toMatchObject({ attempt: 2, error: { code: 'crashed', params: saying('killed') } });
    await until('the slot to be free', async () => (await made.jobs.slots()).length === 0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(made.entries.filter(({ event }) => event === 'job_restarted')).toHaveLength(1);
  });

  it('starts jobs again where the process that starts them was killed', async () => {
    made = makeLocalQueue();
    await submitted('a', 'wait');
    await running('a');
    const [pid] = jobsOf(process.pid);
    const starter = childrenOf(process.pid).find((each) => childrenOf(each).includes(pid ?? 0));
    process.kill(starter ?? 0, 'SIGKILL');
    await until('the job to run again', async () => {
      const job = await made.jobs.find('a');
      return job?.state === 'running' && job.attempt === 2;
    });
    await until('the first process to end', async () => !isAlive(pid ?? 0));
    await submitted('good', 'finish');
    expect(await ended('good')).toMatchObject({ state: 'done' });
  });

  it('keeps the end of what a crashed process wrote to standard error, for the log', async () => {
    made = makeLocalQueue();
    await submitted('a', 'crash');
    await ended('a');
    await until('the log', async () => made.entries.some(({ event }) => event === 'job_failed'));
    expect(made.entries.find(({ event }) => event === 'job_failed')).toMatchObject({
      level: 'error',
      fields: { job_id: 'a', attempt: 1, code: 'crashed', signal: 'SIGABRT', stderr: expect.any(String) },
    });
  });

  it('passes on the log of a process, and nothing else that it prints', async () => {
    made = makeLocalQueue();
    await submitted('a', 'finish');
    await ended('a');
    const events = () => made.entries.filter(({ fields }) => fields.job_id === 'a').map(({ event }) => event);
    await until('the log', async () => events().includes('job_process_ended'));
    expect(events()).toEqual(['job_running', 'job_done', 'job_process_ended']);
  });

  it('leaves what runs to the next server when it is closed, also a process that does not listen', async () => {
    made = makeLocalQueue();
    await Promise.all([submitted('idle', 'wait'), submitted('computing', 'hang')]);
    await Promise.all([running('idle'), running('computing')]);
    await made.queue.close();
    for (const id of ['idle', 'computing']) {
      expect(await made.jobs.find(id)).toMatchObject({ state: 'started', attempt: 2, progress: [], error: null });
    }
    expect(await made.jobs.slots()).toEqual([slotOf('computing', 2), slotOf('idle', 2)]);
    await expect(made.queue.submit('late', 1)).rejects.toMatchObject({ code: 'compute_unavailable' });
    const { restarted } = new Leases(made.relaxed).recover(Date.now());
    expect(restarted.map(({ jobId, attempt }) => slotOf(jobId, attempt)).sort()).toEqual(await made.jobs.slots());
    expect(new Leases(made.relaxed).recover(Date.now())).toEqual({ restarted: [], ended: [] });
  });

  it('interrupts what it started again before when it is closed', async () => {
    made = makeLocalQueue();
    await submitted('a', 'wait');
    await running('a');
    expect(await made.jobs.restart('a', 1, 'here')).toBe(true);
    await made.queue.cancel('a', 1);
    await made.queue.resume('a', 2);
    await running('a');
    await made.queue.close();
    expect(await made.jobs.find('a')).toMatchObject({ state: 'failed', attempt: 2, error: { code: 'interrupted' } });
    expect(await made.jobs.slots()).toEqual([]);
  });

  it('settles an attempt later where its end could not be recorded at once', async () => {
    made = makeLocalQueue();
    const fail = made.jobs.fail.bind(made.jobs);
    let refusals = 1;
    made.jobs.fail = async (...args) => {
      if (refusals-- > 0) throw new Error('disk full');
      return fail(...args);
    };
    await submitted('a', 'crash');
    expect(await ended('a')).toMatchObject({ error: { code: 'crashed' } });
    expect(made.entries.map(({ event }) => event)).toContain('job_end_not_recorded');
  });
});
