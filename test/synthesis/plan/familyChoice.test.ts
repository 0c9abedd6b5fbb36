import { describe, expect, it } from 'vitest';
import { generateRequestSchema } from '../../../packages/contract/requests.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { makePlan } from '../../../packages/synthesis/plan/plan.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { detectTargetFamily, uploadFile } from '../../../service/job/uploadFile.ts';
import { bytesOf } from '../../support/bytes.ts';
import { localService, smallFile } from '../../support/localService.ts';
import { type Asked, tableOf, worldOf } from '../world.ts';

const random = createStream(12, 'choice');
/** claims: counts that follow the town and the size. */
const csv = `claims,size,town\n${Array.from({ length: 500 }, (_, i) => {
  const size = random.gamma(3);
  const mean = 0.4 * size * (i % 2 ? 1 : 2);
  return `${Math.floor(random.gamma(1.5) * mean)},${size.toFixed(2)},${i % 2 ? 'Ash' : 'Elm'}`;
}).join('\n')}\n`;
const profile = await profileUpload(bytesOf(csv), 'claims.csv');

const planned = async (asked: object) =>
  makePlan(profile, await tableOf(csv), generateRequestSchema.parse({ job_id: 'a', ...asked })).plan;

describe('the family of a job', () => {
  it('is what POST /detect_family says, whatever columns the request takes', async () => {
    const service = localService({ profile });
    try {
      const { job } = await uploadFile(service, 'key-1', smallFile());
      const answer = await detectTargetFamily(service, 'key-1', job.id, 'claims');
      expect(answer.candidates.length).toBeGreaterThan(2);
      for (const asked of [{}, { continuous_cols: ['size'] }, { categorical_cols: ['town'], text_cols: ['size'] }]) {
        const { familyChoice, settings } = await planned({ target_col: 'claims', ...asked });
        expect(familyChoice).toEqual(answer);
        expect(settings.family).toBe(answer.family);
      }
    } finally {
      await service.close();
    }
  });

  it('is the one that the request names, which nothing is compared for', async () => {
    const { familyChoice, settings } = await planned({ target_col: 'claims', family: 'hurdle_poisson' });
    expect([familyChoice, settings.family]).toEqual([null, 'hurdle_poisson']);
  });

  it('is none where there is no target', async () => {
    const { familyChoice, settings } = await planned({ text_cols: ['town'] });
    expect([familyChoice, settings.family]).toEqual([null, null]);
  });

  it('is told with its runner-up in an event, in the notes and in the metrics of the regression', async () => {
    const asked: Asked = { target_col: 'claims', continuous_cols: ['size'], family: 'auto', n_samples: 20 };
    const world = await worldOf(csv, asked, profile);
    await world.run();
    const { familyChoice } = await planned(asked);
    const line = new RegExp(
      `^Family of "claims": ${familyChoice?.family}; runner-up ${familyChoice?.runner_up?.family}, .*standard error`,
    );
    const { progress, metrics } = world.job();
    expect(progress).toContainEqual(
      expect.objectContaining({
        fact: 'family_chosen',
        family: familyChoice?.family,
        runner_up: familyChoice?.runner_up,
      }),
    );
    expect(metrics?.notes.some((each) => line.test(each))).toBe(true);
    expect(metrics?.numeric.family).toBe(familyChoice?.family);
    expect(metrics?.regression?.family_choice).toEqual(familyChoice);
    expect(metrics?.regression?.family).toBe(familyChoice?.family);
  });
});
