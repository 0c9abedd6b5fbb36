/** An upload that is no longer what came: cut short, changed, or unreadable for it. */
import { describe, expect, it } from 'vitest';
import { uploadKey } from '../../service/job/objectKeys.ts';
import { worldOf } from '../synthesis/world.ts';

const CSV = `x,y\n${Array.from({ length: 60 }, (_, i) => `${i},"${i % 7}"`).join('\n')}\n`;
const CUT = CSV.slice(0, CSV.length / 2);

async function worldWith(stored: string) {
  const world = await worldOf(CSV, { target_col: 'x', continuous_cols: ['y'], n_samples: 10 });
  world.service.files.set(uploadKey('job'), new TextEncoder().encode(stored));
  return world;
}

describe('a job whose upload was altered at rest', () => {
  it.each([
    ['cut at the end of a row', CUT.slice(0, CUT.lastIndexOf('\n') + 1)],
    ['cut inside a quoted cell', CSV.slice(0, CSV.lastIndexOf('"'))],
    ['of another digit', CSV.replace('7,', '8,')],
    ['longer', `${CSV}61,1\n`],
  ])('fails where it is %s, and says so', async (_, stored) => {
    const world = await worldWith(stored);
    await expect(world.run()).rejects.toMatchObject({ code: 'invalid_data', params: { reason: 'upload_altered' } });
    expect(world.job().state).toBe('running');
  });
});
