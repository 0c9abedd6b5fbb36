import { expect, it } from 'vitest';
import { assets } from '../../web/assets.ts';

it('the page sends no schema library: its script is below 250 KB', async () => {
  const { homeScript, example } = await assets();
  expect(homeScript.length).toBeGreaterThan(50_000);
  expect(homeScript.length).toBeLessThan(250_000);
  expect(example.split('\n')[0]).toContain('department');
});
