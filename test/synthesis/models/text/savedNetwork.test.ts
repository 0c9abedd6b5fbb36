import { expect, test } from 'vitest';
import type { FittedNetwork } from '../../../../packages/synthesis/models/text/fitNetwork.ts';
import { networkSchema } from '../../../../packages/synthesis/models/text/savedNetwork.ts';
import { fitSpelling } from '../../../../packages/synthesis/models/text/spelling.ts';

const texts = Array.from({ length: 250 }, (_, row) => `dark cherry ${row < 4 ? 'Xinomavro' : 'Assyrtiko'}`);

const network = async (): Promise<FittedNetwork> => ({
  form: {
    conditions: [
      { name: 'mood', kind: 'levels', levels: ['good', 'bad'] },
      { name: 'stars', kind: 'bins', edges: [1, 2.5] },
    ],
    columns: ['review'],
  },
  pieces: ['ch', 'err'],
  architecture: { width: 8, layers: 1, heads: 2, keyHeads: 1, headWidth: 4, hidden: 16, ropeBase: 1e4, epsilon: 1e-5 },
  base: null,
  parameters: Float32Array.of(0.5, -1.25, 3),
  tokensARow: 4.5,
  sampling: { temperature: 1, nucleus: 0.9 },
  columns: [
    {
      mixture: null,
      longest: 12,
      lengths: { name: '#length 0', edges: [4, 9], shares: [0.5, 0.5], shortest: 4, tree: null },
      punctuation: { following: [['a, ', 'aA'] satisfies [string, string]] },
      spelling: await fitSpelling(texts),
      bitsPerCharacter: Number.NaN,
    },
  ],
});

test('a network is restored as it was saved, with the words that may not come out', async () => {
  const fitted = await network();
  const restored = networkSchema.parse(JSON.parse(JSON.stringify(networkSchema.encode(fitted))));
  expect(restored).toEqual(fitted);
  expect(restored.columns[0]?.spelling?.rare).toHaveLength(1);
});
