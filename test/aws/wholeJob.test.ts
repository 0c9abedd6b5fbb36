/** A job's whole way through the deployment: API, records, files, Batch, the job's own process, events. */
import { expect, it } from 'vitest';
import { uploadKey } from '../../service/job/objectKeys.ts';
import { housesCsv } from '../support/tables.ts';
import { describeDeployed, QUICK, until } from './support/deployed.ts';

/** Runs for a minute on two cores, by its texts: it is there to be taken away, or cancelled, while it runs. */
const LONG = {
  target_col: 'price',
  continuous_cols: ['area'],
  text_cols: ['note'],
  n_samples: 4_000,
  draws: 100,
  tune: 100,
  text_epochs: 1,
  seed: 7,
};

describeDeployed('a job on AWS', (deployed) => {
  it('goes from upload to download', async () => {
    const id = await deployed().api.newJob(housesCsv(80));
    expect(await deployed().generate(id)).toMatchObject({ status: 200 });
    const status = await deployed().api.end(id);
    expect(status).toMatchObject({ status: 'done', error: null, metrics: { rows_generated: QUICK.n_samples } });
    const { text, headers } = await deployed().api.send('GET', `/download/${id}`, {
      headers: { 'Accept-Encoding': 'identity' },
    });
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(text.trim().split('\n')).toHaveLength(QUICK.n_samples + 1);
    await until(
      () => deployed().slots(),
      (slots) => slots.length === 0,
    );
  });

  it('keeps the upload byte for byte', async () => {
    const table = housesCsv(60_000);
    const id = await deployed().api.newJob(table);
    const kept = await deployed().stores.objects.get(uploadKey(id));
    const chunks: Uint8Array[] = [];
    for await (const chunk of kept?.body ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(Buffer.from(table))).toBe(true);
  });

  it('is submitted to the GPU queue with text and to the CPU queue without, named and tagged for the bill', async () => {
    await deployed().batch.set({ hold: true });
    const [plain = '', written = ''] = await deployed().newJobs(housesCsv(60), 2);
    await deployed().generate(plain);
    await deployed().generate(written, { ...QUICK, text_cols: ['note'] });
    const [[onCpu], [onGpu]] = [await deployed().batch.of(plain), await deployed().batch.of(written)];
    expect([onCpu?.jobQueue, onGpu?.jobQueue]).toEqual([
      expect.stringMatching(/-cpu$/),
      expect.stringMatching(/-gpu$/),
    ]);
    expect(onCpu?.jobName).toBe(`job-${plain}-1`);
    expect(Object.values(onCpu?.tags ?? {})).toContain(plain);
    const environment = Object.fromEntries(onCpu?.container.environment.map(({ name, value }) => [name, value]) ?? []);
    expect(environment).toMatchObject({ JOB_ID: plain, JOB_ATTEMPT: '1' });
  });

  it('is run again where Spot takes its machine away, never twice at once, and ends done', async () => {
    const id = await deployed().api.newJob(housesCsv(200));
    expect(await deployed().generate(id, LONG)).toMatchObject({ status: 200 });
    await until(
      () => deployed().api.status(id),
      ({ status, progress }) => status === 'running' && progress.length > 0,
    );
    const [job] = await deployed().batch.of(id);
    await deployed().batch.reclaim(job?.jobId ?? '');
    const status = await deployed().api.end(id);
    const [ended] = await deployed().batch.of(id);
    expect(status, await deployed().batch.output(job?.jobId ?? '')).toMatchObject({ status: 'done', error: null });
    expect(
      await until(
        async () => (await deployed().batch.of(id)).map((each) => each.status),
        ([state]) => state === 'SUCCEEDED',
      ),
    ).toEqual(['SUCCEEDED']);
    expect(ended?.attempts.length).toBeGreaterThanOrEqual(1);
    expect((await deployed().batch.of(id))[0]?.attempts).toHaveLength(2);
    expect(status.progress.filter((line) => /pipeline.*finished|finished.*pipeline/i.test(line))).toHaveLength(1);
  }, 600_000);

  it('is ended in Batch where it is cancelled', async () => {
    const id = await deployed().api.newJob(housesCsv(200));
    expect(await deployed().generate(id, LONG)).toMatchObject({ status: 200 });
    await until(
      () => deployed().api.status(id),
      ({ status }) => status === 'running',
    );
    expect((await deployed().api.send('POST', `/jobs/${id}/cancel`)).status).toBe(200);
    expect(await deployed().api.status(id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    await until(
      () => deployed().batch.alive(),
      (alive) => alive.length === 0,
    );
    await until(
      () => deployed().slots(),
      (slots) => slots.length === 0,
    );
  });

  it('leaves nothing where it is erased', async () => {
    const id = await deployed().api.newJob(housesCsv(80));
    await deployed().generate(id);
    await deployed().api.end(id);
    expect((await deployed().api.send('DELETE', `/jobs/${id}`)).status).toBe(200);
    expect(await deployed().stores.jobs.find(id)).toBeUndefined();
    expect(await deployed().stores.objects.list(`jobs/${id}/`)).toEqual([]);
  });
});
