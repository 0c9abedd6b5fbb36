/** Bits per character that a fitted network, with its n-gram, spends on rows that it has not seen. */
import type { ModelTable, TextResources } from '../../gpu-job/models/model.ts';
import type { FittedNetwork } from '../../gpu-job/models/text/fitNetwork.ts';
import { createMixtureJudge } from '../../gpu-job/models/text/mixture.ts';
import type { Network } from '../../gpu-job/models/text/network/network.ts';
import { scoreSequences } from '../../gpu-job/models/text/network/score.ts';
import { rowSequences } from '../../gpu-job/models/text/rowSequences.ts';
import type { Vocabulary } from '../../gpu-job/models/text/tokens/vocabulary.ts';

export interface Bits {
  network: number;
  mixed: number;
}

/** END counts as one character. Of the first column of text. */
export async function bitsOnHeldOut(
  { engine }: TextResources,
  fitted: FittedNetwork,
  network: Network,
  vocabulary: Vocabulary,
  table: ModelTable,
): Promise<Bits> {
  const sequences = rowSequences(table, fitted.form, vocabulary);
  const likelihoods = await scoreSequences(
    { engine, network, heldOut: sequences, shape: { windows: 2, length: 256 } },
    fitted.parameters,
  );
  const { mixture } = fitted.columns[0]!;
  const judge = mixture ? createMixtureJudge(mixture) : undefined;
  let [alone, mixed, characters] = [0, 0, 0];
  sequences.forEach(({ tokens, texts }, k) => {
    const own = texts[0];
    if (!own) return;
    const end = tokens.indexOf(0, own.from);
    const nats = likelihoods[k]!.subarray(own.from, end + 1);
    alone -= nats.reduce((sum, x) => sum + x, 0);
    mixed += judge ? judge(tokens.slice(own.from, end), nats) : -nats.reduce((sum, x) => sum + x, 0);
    characters += own.characters;
  });
  return { network: alone / Math.LN2 / characters, mixed: mixed / Math.LN2 / characters };
}
