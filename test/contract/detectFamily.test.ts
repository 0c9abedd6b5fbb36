import { beforeAll, describe, expect, it } from 'vitest';
import { detectFamilyReplySchema } from '../../packages/contract/replies.ts';
import { useDeployment, verdict } from '../support/contract.ts';
import { housesCsv, oddNamesCsv } from '../support/tables.ts';

const service = useDeployment();
let job = '';
let oddJob = '';
beforeAll(async () => {
  job = await service.newJob(housesCsv());
  oddJob = await service.newJob(oddNamesCsv());
});

describe('POST /detect_family', () => {
  it('names a family and says why', async () => {
    const reply = await service.post('/detect_family', { job_id: job, target_col: 'price' });
    expect(reply.status).toBe(200);
    const { family, reason, warnings } = detectFamilyReplySchema.parse(reply.data);
    expect(family).toBeTruthy();
    expect(reason).toMatch(/\w+ \w+/);
    expect(warnings).toBeUndefined();
  });

  it.each([
    ['city', () => job],
    ['constructor', () => oddJob],
  ])('names the family of labels for the few words of %j', async (target_col, of) => {
    const reply = await service.post('/detect_family', { job_id: of(), target_col });
    expect(reply.status).toBe(200);
    const { family, candidates, reason } = detectFamilyReplySchema.parse(reply.data);
    expect(['bernoulli', 'categorical']).toContain(family);
    expect([candidates, reason]).toEqual([[], expect.stringContaining('labels')]);
  });

  it('ignores unknown fields and names them', async () => {
    const body = `{"job_id":"${job}","target_col":"price","__proto__":{"x":1},"draws":5}`;
    const reply = await service.send('POST', '/detect_family', { body });
    const { warnings } = detectFamilyReplySchema.parse(reply.data);
    expect(warnings?.join()).toMatch(/"__proto__".*"draws"/);
  });

  it.each<[title: string, fields: () => object, code: string, said: string]>([
    ['no job', () => ({ target_col: 'price' }), 'invalid_job', 'job_id'],
    ['a job of null', () => ({ job_id: null, target_col: 'price' }), 'invalid_job', 'null'],
    ['an unknown job', () => ({ job_id: 'nobody', target_col: 'price' }), 'invalid_job', 'nobody'],
    ['no target', () => ({ job_id: job }), 'missing_target', 'target_col'],
    ['a target of null', () => ({ job_id: job, target_col: null }), 'missing_target', 'target_col'],
    ['a target of the wrong type', () => ({ job_id: job, target_col: 7 }), 'invalid_parameter', '7'],
    ['a list for a target', () => ({ job_id: job, target_col: ['price'] }), 'invalid_parameter', 'price'],
    ['an unknown column', () => ({ job_id: job, target_col: 'cost' }), 'column_not_found', 'price, area, rooms'],
    ['an empty name', () => ({ job_id: job, target_col: '' }), 'column_not_found', 'price'],
    ['a property of every object', () => ({ job_id: job, target_col: 'constructor' }), 'column_not_found', 'price'],
    ['a column of texts', () => ({ job_id: job, target_col: 'note' }), 'invalid_parameter', 'note'],
  ])('refuses %s', async (_title, fields, code, said) => {
    const reply = await service.post('/detect_family', fields());
    expect(verdict(reply)).toEqual([400, code]);
    expect(reply.error?.message).toContain(said);
  });
});
