/** A data folder as version 0.2 left it (`support/dataFolder02.zip`): a job that is done, and an upload without a job. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleReplySchema } from '../../packages/contract/replies.ts';
import { Deployment } from '../support/contract.ts';
import { DONE, KEY, layOutFolder, textOf, UPLOADED } from '../support/dataFolder02.ts';
import { startServer } from '../support/liveServer.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

/** The folder is dated; ten years are the most that can be set. */
const KEEP = { UPLOAD_RETENTION_HOURS: '87600', RESULT_RETENTION_HOURS: '87600' };
const folder = makeFolder();
const service = new Deployment();

beforeAll(async () => {
  layOutFolder(folder.path);
  const local = await startServer(KEEP, folder.path);
  Object.assign(service, { url: local.url, key: KEY, local });
});
afterAll(async () => {
  await service.local?.stop();
  folder.remove();
});

describe('a data folder of version 0.2', () => {
  it('gives its job’s record, file, report and receipt', async () => {
    const status = await service.status(DONE);
    expect(status).toMatchObject({ status: 'done', error: null, metrics: { rows_generated: 20, version: '0.2.0' } });
    expect(status.progress[0]).toContain('Target model');
    expect(status.progress.at(-1)).toContain('Pipeline finished');
    const csv = textOf(`objects/jobs/${DONE}/attempt-1/synthetic_data.csv`);
    expect((await service.send('GET', `/download/${DONE}`)).text).toBe(csv);
    for (const path of [`/report/${DONE}`, `/report/${DONE}.json`, `/receipt/${DONE}`])
      expect((await service.send('GET', path)).status, path).toBe(200);
  });

  it('has more rows drawn from its model', async () => {
    const reply = await service.post(`/sample/${DONE}`, { rows: 5, seed: 3 });
    const { job_id } = sampleReplySchema.parse(reply.data);
    expect(await service.end(job_id)).toMatchObject({ status: 'done', error: null, release: 'withheld' });
    expect((await service.post(`/jobs/${job_id}/release`, {})).status).toBe(200);
    const { text } = await service.send('GET', `/download/${job_id}`);
    expect(text.trimEnd().split('\n')).toHaveLength(6);
  });

  it('has its upload made into a table', async () => {
    const request = { target_col: 'price', n_samples: 20, draws: 100, tune: 100, seed: 7, allow_few_rows: true };
    expect((await service.post('/generate', { job_id: UPLOADED, ...request })).status).toBe(200);
    expect(await service.end(UPLOADED)).toMatchObject({ status: 'done', metrics: { rows_generated: 20 } });
  });
});
