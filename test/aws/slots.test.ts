/** Three at once, whatever happens to requests, functions, submissions and events. */
import { expect, it } from 'vitest';
import { jobOfSlot } from '../../service/job/job.ts';
import { housesCsv } from '../support/tables.ts';
import { type Deployed, describeDeployed, isOk, QUICK, until } from './support/deployed.ts';

const TABLE = housesCsv(60);
const LIMIT = 3;

/** Whose slots are taken, when nothing is on its way any more. */
const ownersOf = (slots: string[]) => slots.map((slot) => jobOfSlot(slot).jobId).sort();

async function expectSlotsOfLivingJobs(deployed: Deployed): Promise<void> {
  const living = (await deployed.batch.alive()).map(({ jobName }) => jobName);
  const slots = await deployed.slots();
  expect(slots.length).toBe(living.length);
  for (const owner of ownersOf(slots)) expect(living.some((name) => name.includes(owner))).toBe(true);
}

/** Sees the slots again and again while `work` runs. */
async function mostSlotsDuring(deployed: Deployed, work: Promise<unknown>): Promise<number> {
  let most = 0;
  let over = false;
  // An emulator under such a load does not answer every look.
  const look = () => deployed.slots().catch(() => []);
  const watch = async () => {
    while (!over) most = Math.max(most, (await look()).length);
  };
  const watching = watch();
  await work.finally(() => {
    over = true;
  });
  await watching;
  return most;
}

describeDeployed('slots at full load', (deployed) => {
  it('admits exactly three of 200 concurrent requests, tells all others when to come back, and frees the three', async () => {
    const ids = await deployed().copiesOf(await deployed().api.newJob(TABLE), 200);
    await deployed().batch.set({ hold: true });
    const sent = Promise.all(ids.map((id) => deployed().generate(id)));
    expect(await mostSlotsDuring(deployed(), sent)).toBe(LIMIT);
    const replies = await sent;
    expect(replies.filter(isOk)).toHaveLength(LIMIT);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(ids.length - LIMIT);
    for (const { code, retryAfter } of refused)
      expect([code, Number(retryAfter) > 0]).toEqual(['capacity_exceeded', true]);
    expect(await deployed().slots()).toHaveLength(LIMIT);
    await expectSlotsOfLivingJobs(deployed());
    await deployed().batch.set({ run: 'vanish', hold: false });
    await until(
      () => deployed().slots(),
      (slots) => slots.length === 0,
    );
  });

  it('lets others in as slots become free, each once and never a fourth', async () => {
    await deployed().batch.set({ run: 'vanish' });
    const ids = await deployed().copiesOf(await deployed().api.newJob(TABLE), 15);
    const admit = async (id: string) => {
      while (!isOk(await deployed().generate(id))) await new Promise((resolve) => setTimeout(resolve, 500));
    };
    const most = await mostSlotsDuring(deployed(), Promise.all(ids.map(admit)));
    expect(most).toBe(LIMIT);
    await until(
      () => deployed().slots(),
      (slots) => slots.length === 0,
    );
    const submitted = (await deployed().batch.jobs()).map(({ jobName }) => jobName);
    expect(new Set(submitted).size).toBe(ids.length);
    for (const id of ids) expect((await deployed().api.status(id)).status).toBe('failed');
  });
});

describeDeployed('the queue', (deployed) => {
  const QUEUED = { ...QUICK, queue: true };
  const ended = async () => [...(await deployed().slots()), ...(await deployed().stores.jobs.line()).jobs];

  it('lets those that wait in as slots become free, each once and never a fourth', async () => {
    await deployed().batch.set({ run: 'vanish' });
    const ids = await deployed().copiesOf(await deployed().api.newJob(TABLE), 12);
    // An emulator under such a load may end a function before it answers: who is told 503 sends again, and may then find the job taken.
    const send = async (id: string) => {
      const allowed = [200, 503];
      for (;;) {
        const { status } = await deployed().generate(id, QUEUED);
        expect(allowed).toContain(status);
        if (status !== 503) return;
        allowed.push(409);
      }
    };
    const all = Promise.all(ids.map(send)).then(async () => {
      await until(ended, (left) => left.length === 0, 150_000);
    });
    expect(await mostSlotsDuring(deployed(), all)).toBe(LIMIT);
    const submitted = (await deployed().batch.jobs()).map(({ jobName }) => jobName);
    expect(submitted.length).toBe(ids.length);
    expect(new Set(submitted).size).toBe(ids.length);
  }, 180_000);

  it('moves on where the reconciler dies between taking a slot and starting the job that waits', async () => {
    const [first = '', ...others] = await deployed().copiesOf(await deployed().api.newJob(TABLE), LIMIT + 1);
    await deployed().batch.set({ hold: true });
    for (const id of others) expect(await deployed().generate(id)).toMatchObject({ status: 200 });
    expect(await deployed().generate(first, QUEUED)).toMatchObject({ status: 200 });
    expect((await deployed().api.status(first)).queue).toMatchObject({ position: 1 });
    await deployed().fault({ operation: 'TransactWriteItems', body: 'served', what: 'kill before' });
    await deployed().batch.set({ hold: false });
    await until(ended, (left) => left.length === 0, 150_000);
    expect(await deployed().faultHits()).toBe(1);
    expect(await deployed().api.status(first)).toMatchObject({ status: 'done', error: null });
  }, 180_000);
});

describeDeployed('a slot is not lost', (deployed) => {
  const newJob = () => deployed().api.newJob(TABLE);

  /** The job can be sent again and now runs to its end. */
  async function expectRunsWhenSentAgain(id: string): Promise<void> {
    expect(await deployed().generate(id)).toMatchObject({ status: 200 });
    expect((await deployed().api.end(id)).status).toBe('done');
    await until(
      () => deployed().slots(),
      (slots) => slots.length === 0,
    );
  }

  it('where the function dies between taking the slot and starting the job: the schedule frees it', async () => {
    const id = await newJob();
    await deployed().fault({ operation: 'TransactWriteItems', body: id, what: 'kill before' });
    expect((await deployed().generate(id)).status).toBeGreaterThanOrEqual(500);
    expect(await deployed().faultHits()).toBe(1);
    expect(ownersOf(await deployed().slots())).toEqual([id]);
    await until(
      () => deployed().slots(),
      (slots) => slots.length === 0,
      110_000,
    );
    expect((await deployed().api.status(id)).status).toBe('uploaded');
    await expectRunsWhenSentAgain(id);
  }, 180_000);

  it('where the function dies between starting the job and submitting it', async () => {
    const id = await newJob();
    await deployed().batch.set({ killCaller: 'before' });
    expect((await deployed().generate(id)).status).toBeGreaterThanOrEqual(500);
    expect((await deployed().api.status(id)).status).toBe('started');
    await reconcileUntilFree(deployed());
    expect(await deployed().api.status(id)).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
    await expectRunsWhenSentAgain(id);
  });

  it('where the function dies after Batch took the submission: the job runs', async () => {
    const id = await newJob();
    await deployed().batch.set({ killCaller: 'after' });
    expect((await deployed().generate(id)).status).toBeGreaterThanOrEqual(500);
    expect((await deployed().api.end(id)).status).toBe('done');
    await until(
      () => deployed().slots(),
      (slots) => slots.length === 0,
    );
  });

  it('where SubmitJob is refused: the request gives back what it took, at once', async () => {
    const id = await newJob();
    await deployed().batch.set({ refuse: 1 });
    expect((await deployed().generate(id)).status).toBeGreaterThanOrEqual(500);
    expect(await deployed().slots()).toEqual([]);
    expect((await deployed().api.status(id)).status).toBe('failed');
    await expectRunsWhenSentAgain(id);
  });

  it('where SubmitJob is throttled for a moment: it is sent again', async () => {
    const id = await newJob();
    await deployed().batch.set({ throttle: 2 });
    expect(await deployed().generate(id)).toMatchObject({ status: 200 });
    expect((await deployed().api.end(id)).status).toBe('done');
    expect(await deployed().batch.of(id)).toHaveLength(1);
  });

  it('where SubmitJob times out after it was accepted: the request finds it, and the job runs once', async () => {
    const id = await newJob();
    await deployed().batch.set({ silent: 1 });
    expect(await deployed().generate(id)).toMatchObject({ status: 200 });
    expect((await deployed().api.end(id)).status).toBe('done');
    expect(await deployed().batch.of(id)).toHaveLength(1);
    await until(
      () => deployed().slots(),
      (slots) => slots.length === 0,
    );
  });

  it('where Batch loses the job', async () => {
    const id = await newJob();
    await deployed().batch.set({ lose: 1 });
    expect(await deployed().generate(id)).toMatchObject({ status: 200 });
    await reconcileUntilFree(deployed());
    expect(await deployed().api.status(id)).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
    await expectRunsWhenSentAgain(id);
  });

  it('where no event comes', async () => {
    const id = await newJob();
    await deployed().batch.set({ run: 'vanish', eventCopies: 0 });
    expect(await deployed().generate(id)).toMatchObject({ status: 200 });
    await reconcileUntilFree(deployed());
    expect((await deployed().api.status(id)).status).toBe('failed');
  });

  it('where events come three times and in any order', async () => {
    const ids = await deployed().newJobs(TABLE, LIMIT);
    await deployed().batch.set({ eventCopies: 3, eventDelayMs: 3000 });
    for (const id of ids) expect(await deployed().generate(id)).toMatchObject({ status: 200 });
    for (const id of ids) expect((await deployed().api.end(id)).status).toBe('done');
    const next = await newJob();
    await until(() => deployed().generate(next), isOk);
    // What is late of the first three must not free the slot of the fourth.
    await deployed().batch.set({ hold: true });
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await deployed().reconcile();
    await expectSlotsOfLivingJobs(deployed());
    await deployed().batch.set({ hold: false });
    expect((await deployed().api.end(next)).status).toBe('done');
  });

  it('where the process is killed: the event fails the job and frees the slot', async () => {
    const id = await newJob();
    expect(
      await deployed().generate(id, { target_col: 'price', text_cols: ['note'], n_samples: 100_000, text_epochs: 50 }),
    ).toMatchObject({ status: 200 });
    const [job] = await until(
      () => deployed().batch.of(id),
      ([first]) => first?.status === 'RUNNING',
    );
    await until(
      () => deployed().api.status(id),
      ({ status }) => status === 'running',
    );
    await deployed().batch.kill(job?.jobId ?? '');
    expect(
      (
        await until(
          () => deployed().api.status(id),
          ({ status }) => status === 'failed',
        )
      ).error,
    ).not.toBeNull();
    await until(
      () => deployed().slots(),
      (slots) => slots.length === 0,
    );
  });
});

/** The schedule's work, more often than every minute. */
async function reconcileUntilFree(deployed: Deployed): Promise<void> {
  await until(
    async () => {
      await deployed.reconcile();
      return deployed.slots();
    },
    (slots) => slots.length === 0,
    60_000,
  );
}
