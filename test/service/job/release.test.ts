/** Who may release rows that are withheld, and which policy a table has to keep to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../api/app.ts';
import { NO_RULES, type ReleasePolicy, stricterPolicy } from '../../../packages/contract/releasePolicy.ts';
import { generateRequestSchema, sampleRequestSchema } from '../../../packages/contract/requests.ts';
import { modelKey, profileKey } from '../../../service/job/objectKeys.ts';
import { releaseJob, releaseStateOf } from '../../../service/job/release.ts';
import { startJob, startSample } from '../../../service/job/startJob.ts';
import { uploadFile } from '../../../service/job/uploadFile.ts';
import type { KeyRecord } from '../../../service/ports.ts';
import { AT, METRICS, newJob, RECEIPT, requestFor, WITHHELD } from '../../support/jobFixtures.ts';
import { KEY, memoryService, OTHER_KEY } from '../../support/memoryService.ts';

const OWNER = 'key-1';
const NONE = NO_RULES;
const COPIES: ReleasePolicy = { ...NONE, exact_copies: 0 };

async function withWithheld(releasePolicy: ReleasePolicy | null = null, keyId = OWNER) {
  const service = memoryService();
  service.settings.releasePolicy = releasePolicy;
  await service.jobs.create({ ...newJob('a'), keyId });
  await service.jobs.start('a', 1, requestFor('a'), AT);
  await service.jobs.run('a', 1);
  await service.jobs.finish('a', 1, { ...METRICS, release: WITHHELD }, RECEIPT, AT);
  return service;
}

const keyOf = (id: string, rights: KeyRecord['rights']) => ({ id, rights });

describe('a release', () => {
  it.each<[string, KeyRecord['rights'], ReleasePolicy | null, string]>([
    ['its owner, with the right', ['release'], COPIES, OWNER],
    ['another key with the right', ['release'], COPIES, 'reviewer'],
  ])('is made by %s', async (_, rights, policy, id) => {
    const service = await withWithheld(policy);
    expect(releaseStateOf(await releaseJob(service, keyOf(id, rights), 'a'))).toBe('released');
    expect(service.lines.at(-1)).toMatchObject({ event: 'job_released', fields: { key_id: id, owner: OWNER } });
  });

  it.each<[string, KeyRecord['rights'], ReleasePolicy | null, string, string]>([
    ['its owner without the right', [], null, OWNER, 'release_not_allowed'],
    ['another key without the right', [], null, 'other', 'invalid_job'],
  ])('is not made by %s', async (_, rights, policy, id, code) => {
    const service = await withWithheld(policy);
    await expect(releaseJob(service, keyOf(id, rights), 'a')).rejects.toMatchObject({ code });
    expect(releaseStateOf(service.records.get('a')!)).toBe('withheld');
  });

  it('gives a key that is not the owner’s no salt', async () => {
    const service = await withWithheld(COPIES, `id-of-${OTHER_KEY}`);
    const app = createApp(service, { corsOrigins: [] });
    const release = async (key: string) => {
      const reply = await app.request('/jobs/a/release', { method: 'POST', headers: { 'X-API-Key': key } });
      return JSON.stringify(await reply.json());
    };
    const byReviewer = await release(KEY);
    expect(byReviewer).toContain('"release":"released"');
    expect(byReviewer).not.toContain(RECEIPT.input_salt);
    expect(await release(OTHER_KEY)).toContain(RECEIPT.input_salt);
  });
});

describe('the policy of a job', () => {
  const start = async (policy: object | undefined, operators: ReleasePolicy | null) => {
    const service = memoryService();
    service.settings.releasePolicy = operators;
    const bytes = new Blob(['x\n1\n']).stream();
    const { job } = await uploadFile(service, OWNER, { name: 'a.csv', bytes });
    const request = generateRequestSchema.parse({ job_id: job.id, target_col: 'x', policy });
    await startJob(service, OWNER, request);
    return service.records.get(job.id)?.request?.policy;
  };

  it.each<[object | undefined, ReleasePolicy | null, ReleasePolicy | null]>([
    [undefined, null, null],
    [undefined, COPIES, COPIES],
    [{}, COPIES, COPIES],
    [{ exact_copies: 9, verbatim_text: 1 }, COPIES, { ...COPIES, verbatim_text: 1 }],
    [{ exact_copies: 1 }, { ...NONE, exact_copies: 5 }, { ...NONE, exact_copies: 1 }],
    [{ exact_copies: 1 }, null, { ...NONE, exact_copies: 1 }],
  ])('asked for as %j under the operator’s %j is %j', async (asked, operators, expected) => {
    expect(await start(asked, operators)).toEqual(expected);
  });

  it('holds for more rows of a job that was made before the operator had one', async () => {
    const service = await withWithheld();
    await releaseJob(service, keyOf(OWNER, ['release']), 'a');
    const { profile } = await service.reader.profile(new Blob([]).stream(), 'a.csv', OWNER);
    await service.objects.put(profileKey('a'), profile);
    await service.objects.put(modelKey('a', 1), new Uint8Array(1));
    service.settings.releasePolicy = COPIES;
    const { jobId } = await startSample(service, service.records.get('a')!, sampleRequestSchema.parse({ rows: 5 }));
    expect(service.records.get(jobId)?.request?.policy).toEqual(COPIES);
  });

  it('allows nothing that either of two forbids', () => {
    const rule = fc.option(fc.integer({ min: 0, max: 9 }));
    const policy = fc.record({
      max_nearest_train_share_lower: rule,
      max_membership_auc_lower: rule,
      max_singling_out_excess: rule,
      max_linkability_excess: rule,
      max_attribute_excess: rule,
      exact_copies: rule,
      verbatim_text: rule,
    });
    fc.assert(
      fc.property(policy, policy, (one, other) => {
        const both = stricterPolicy(one, other)!;
        expect(stricterPolicy(other, one)).toEqual(both);
        for (const [name, allowed] of Object.entries(both)) {
          const [a, b] = [one, other].map((each) => each[name as keyof ReleasePolicy] ?? Number.POSITIVE_INFINITY);
          expect(allowed ?? Number.POSITIVE_INFINITY).toBe(Math.min(a!, b!));
        }
      }),
    );
  });
});
