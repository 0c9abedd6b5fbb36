/** Bits per character that a fitted network, with its n-gram, spends on rows that it has not seen. */
import { type ModelTable, type TextResources, textColumn } from '../../packages/synthesis/models/model.ts';
import type { FittedNetwork } from '../../packages/synthesis/models/text/fitNetwork.ts';
import { lengthNats, withLengths } from '../../packages/synthesis/models/text/lengths.ts';
import { createMixtureJudge } from '../../packages/synthesis/models/text/mixture.ts';
import type { Network } from '../../packages/synthesis/models/text/network/network.ts';
import { scoreSequences } from '../../packages/synthesis/models/text/network/train.ts';
import { rowSequences } from '../../packages/synthesis/models/text/rowSequences.ts';
import type { Vocabulary } from '../../packages/synthesis/models/text/tokens/vocabulary.ts';

export interface Bits {
  network: number;
  mixed: number;
}

/** The bin of its length, which the network is told, and END are paid for; END counts as one character. Of the first column of text. */
export async function bitsOnHeldOut(
  { engine }: TextResources,
  fitted: FittedNetwork,
  network: Network,
  vocabulary: Vocabulary,
  table: ModelTable,
): Promise<Bits> {
  const { form } = fitted;
  const of = fitted.columns.map(({ lengths }) => lengths);
  const sequences = rowSequences(withLengths(table, form.columns, of), form, vocabulary);
  const cells = textColumn(table, form.columns[0]!).values;
  const likelihoods = await scoreSequences(
    { engine, network, heldOut: sequences, shape: { windows: 2, length: 256 } },
    fitted.parameters,
  );
  const { mixture } = fitted.columns[0]!;
  const judge = mixture ? createMixtureJudge(mixture) : undefined;
  let [alone, mixed, characters] = [0, 0, 0];
  sequences.forEach(({ row, tokens, texts }, k) => {
    const own = texts[0];
    if (!own) return;
    const end = tokens.indexOf(0, own.from);
    const nats = likelihoods[k]!.subarray(own.from, end + 1);
    const byNetwork = -nats.reduce((sum, x) => sum + x, 0);
    const told = lengthNats(of[0]!, cells[row] ?? '');
    alone += told + byNetwork;
    mixed += told + (judge ? judge(tokens.slice(own.from, end), nats) : byNetwork);
    characters += own.characters;
  });
  return { network: alone / Math.LN2 / characters, mixed: mixed / Math.LN2 / characters };
}
