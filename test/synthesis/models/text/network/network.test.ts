import { beforeAll, describe, expect, it } from 'vitest';
import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import { createOnnxEngine } from '../../../../../packages/numerics/tensor/engines/openEngine.ts';
import type { TensorEngine } from '../../../../../packages/numerics/tensor/graph.ts';
import {
  type CheckpointStore,
  readCheckpoint,
} from '../../../../../packages/synthesis/models/text/network/checkpoint.ts';
import { createDecoder, type Decoder } from '../../../../../packages/synthesis/models/text/network/decoder.ts';
import type { Network } from '../../../../../packages/synthesis/models/text/network/network.ts';
import { startVector } from '../../../../../packages/synthesis/models/text/network/network.ts';
import { type SlopedNetwork, withSlopes } from '../../../../../packages/synthesis/models/text/network/slopes.ts';
import {
  scoreSequences,
  type TrainingTask,
  trainNetwork,
} from '../../../../../packages/synthesis/models/text/network/train.ts';
import {
  adaptedNetwork,
  wholeNetwork,
} from '../../../../../packages/synthesis/models/text/network/trainableNetwork.ts';
import type { Sequence } from '../../../../../packages/synthesis/models/text/network/trainingProgram.ts';
import { slowLikelihoods } from '../support/slowNetwork.ts';
import { SMALL, SMALL_WEIGHTS } from '../support/smallBase.ts';

const PIECES = 20;
const CONDITIONS = 3;
const random = createStream(5, 'network');
const normals = (length: number): Float32Array => Float32Array.from({ length }, () => random.normal() / 2);

const adapted = (): Network =>
  adaptedNetwork(SMALL, SMALL_WEIGHTS, {
    pieces: normals(PIECES * SMALL.width),
    conditions: normals(CONDITIONS * SMALL.width),
  });
const whole = (): Network => wholeNetwork(SMALL, PIECES, CONDITIONS);
const sloped = (): SlopedNetwork => withSlopes(whole(), { numbers: 2, scores: Float32Array.of(-1, 0, 0.3, 0.5, 1, 0) });

/** A condition, then pieces; all pieces are to be predicted. */
const sequenceOf = (tokens: number[]): Sequence => ({
  tokens: Int32Array.from(tokens),
  isWritten: Uint8Array.from(tokens, (token) => (token < PIECES ? 1 : 0)),
});
const someSequence = (length: number): Sequence =>
  sequenceOf([PIECES + random.integer(CONDITIONS), ...Array.from({ length }, () => 1 + random.integer(PIECES - 1)), 0]);

/** Nothing is zero, so that every adapter counts. */
const anywhere = ({ vector }: Network): Float32Array =>
  startVector(vector, createStream(6, 'anywhere')).map((x) => x + 0.1 * random.normal());

async function readOne(decoder: Decoder, token: number): Promise<Float32Array> {
  const after = await decoder.read([token]);
  await decoder.release();
  return after;
}

function expectNear(found: Float32Array, wanted: ArrayLike<number>): void {
  expect(found).toHaveLength(wanted.length);
  found.forEach((logit, piece) => void expect(logit).toBeCloseTo(wanted[piece]!, 4));
}

describe.each([
  ['adapters on a base', adapted],
  ['a whole network', whole],
  ['a whole network with slopes', sloped],
])('%s', (_, make) => {
  let engine: TensorEngine;
  beforeAll(async () => {
    engine = await createOnnxEngine('cpu');
  });

  it('gives the likelihoods of the slow reference, packed beside other sequences or cut nowhere', async () => {
    const network = make();
    const parameters = anywhere(network);
    const sequences = [someSequence(5), someSequence(9), someSequence(1), someSequence(12)];
    const shape = { windows: 2, length: 16 };
    const scored = await scoreSequences({ engine, network, heldOut: sequences, shape }, parameters);
    const weights = network.plain(parameters);
    sequences.forEach(({ tokens }, k) => {
      expect(scored[k]![0]).toBeNaN();
      for (let at = 1; at < tokens.length; at++) {
        const slow = slowLikelihoods(SMALL, weights, [...tokens.slice(0, at)])[tokens[at]!]!;
        // Single precision through two layers.
        expect(Math.abs(scored[k]![at]! - slow)).toBeLessThan(1e-4 * (1 + Math.abs(slow)));
      }
    });
  });

  it('reads token by token what it reads in a window, in slots that begin anew', async () => {
    const network = make();
    const parameters = anywhere(network);
    const weights = network.plain(parameters);
    const decoder = createDecoder(engine, SMALL, weights, { slots: 2, isQuantised: false });
    const one = [PIECES + 1, 3, 4, 5, 6];
    const two = [PIECES, 7, 8];
    const three = [PIECES + 2, 9];
    const streams = [one, [...two, ...three]];
    for (let step = 0; step < one.length; step++) {
      if (step === two.length) decoder.clear(1);
      const logits = await decoder.read(streams.map((tokens) => tokens[step]!));
      const read = [one.slice(0, step + 1), step < two.length ? two.slice(0, step + 1) : three.slice(0, step - 2)];
      read.forEach((tokens, slot) => {
        const own = logits.subarray(slot * PIECES, (slot + 1) * PIECES);
        const total = Math.log(own.reduce((sum, logit) => sum + Math.exp(logit), 0));
        slowLikelihoods(SMALL, weights, tokens).forEach((slow, piece) => {
          expect(Math.abs(own[piece]! - total - slow)).toBeLessThan(1e-4 * (1 + Math.abs(slow)));
        });
      });
    }
    await decoder.release();
  });

  it('reads further than the cache has places at first', async () => {
    const network = make();
    const weights = network.plain(anywhere(network));
    const tokens = [...someSequence(36).tokens];
    const decoder = createDecoder(engine, SMALL, weights, { slots: 1, isQuantised: false });
    let logits: Float32Array = new Float32Array();
    for (const token of tokens) logits = await decoder.read([token]);
    await decoder.release();
    const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
    slowLikelihoods(SMALL, weights, tokens).forEach((slow, piece) => {
      expect(Math.abs(logits[piece]! - total - slow)).toBeLessThan(1e-4 * (1 + Math.abs(slow)));
    });
  });

  it('reads on from a token that it went back to', async () => {
    const network = make();
    const decoder = createDecoder(engine, SMALL, network.plain(anywhere(network)), { slots: 1, isQuantised: false });
    const readAll = async (tokens: number[]): Promise<Float32Array> => {
      let after = new Float32Array();
      for (const token of tokens) after = Float32Array.from(await decoder.read([token]));
      return after;
    };
    await readAll([PIECES + 1, 3, 4, 5, 6, 7]);
    decoder.rewind(0, 3);
    const again = await readAll([9, 2]);
    decoder.clear(0);
    expect(again).toEqual(await readAll([PIECES + 1, 3, 4, 9, 2]));
    await decoder.release();
  });

  it('goes on with some of its slots as with all of them', async () => {
    const network = make();
    const weights = network.plain(anywhere(network));
    const form = { slots: 4, isQuantised: false };
    const [all, some, soon] = [1, 2, 3].map(() => createDecoder(engine, SMALL, weights, form)) as [
      Decoder,
      Decoder,
      Decoder,
    ];
    const read = (decoder: Decoder, tokens: number[]) => decoder.read(tokens).then((after) => Float32Array.from(after));
    for (const tokens of [
      [PIECES, PIECES + 1, PIECES + 2, 3],
      [4, 5, 6, 7],
    ]) {
      await read(all, tokens);
      await read(some, tokens);
    }
    await some.narrow([3, 1]);
    expect(some.slots).toBe(2);
    const [wide, narrow] = [await read(all, [0, 8, 0, 9]), await read(some, [9, 8])];
    expectNear(narrow, [...wide.subarray(3 * PIECES), ...wide.subarray(PIECES, 2 * PIECES)]);
    await soon.narrow([2]);
    some.clear(0);
    expectNear(await read(soon, [5]), (await read(some, [5, 0])).subarray(0, PIECES));
    for (const decoder of [all, some, soon]) await decoder.release();
  });

  it('gives probabilities at a temperature', async () => {
    const network = make();
    const weights = network.plain(anywhere(network));
    const form = { slots: 1, isQuantised: false };
    const logits = await readOne(createDecoder(engine, SMALL, weights, form), PIECES);
    const probabilities = await readOne(createDecoder(engine, SMALL, weights, { ...form, temperature: 0.5 }), PIECES);
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit / 0.5), 0);
    logits.forEach((logit, piece) => {
      expect(probabilities[piece]).toBeCloseTo(Math.exp(logit / 0.5) / total, 5);
    });
  });

  it('learns a rule that holds in every sequence, the same way each time', async () => {
    const rule = (first: number, condition: number): Sequence =>
      sequenceOf([
        PIECES + condition,
        ...Array.from({ length: 8 }, (_, k) => 1 + ((first + k * (condition + 1)) % 19)),
        0,
      ]);
    const sequences = Array.from({ length: 120 }, (_, k) => rule((k * 7) % 19, k % CONDITIONS));
    const task = (): TrainingTask => ({
      engine,
      network: make(),
      sequences: sequences.slice(12),
      heldOut: sequences.slice(0, 12),
      plan: {
        epochs: 12,
        sequencesAnEpoch: 108,
        shape: { windows: 4, length: 32 },
        peakRate: 0.01,
        weightDecay: 0.01,
        fallingPasses: 8,
        patience: 3,
        stepOperations: 1e9,
      },
      random: createStream(8, 'training'),
      onEpoch: async () => {},
      yieldToEventLoop: async () => {},
    });
    const trained = await trainNetwork(task());
    const losses = trained.history.map(({ heldOutLoss }) => heldOutLoss);
    expect(Math.min(...losses)).toBeLessThan(losses[0]! / 2);
    expect(trained.bestEpoch).toBe(1 + losses.indexOf(Math.min(...losses)));
    if (make === whole) expect((await trainNetwork(task())).parameters).toEqual(trained.parameters);
  });
});

describe('adapters before training', () => {
  it('leave the base as it is', () => {
    const network = adapted();
    const { layers } = network.plain(startVector(network.vector, createStream(1, 'start')));
    expect(layers).toEqual(SMALL_WEIGHTS.layers);
  });
});

describe('training that is cut off after an epoch', () => {
  const sequences = Array.from({ length: 60 }, () => someSequence(6));
  const store = () => {
    const saved: Uint8Array[] = [];
    return { saved, load: async () => saved.at(-1), save: async (bytes: Uint8Array) => void saved.push(bytes) };
  };
  const task = async (checkpoints: CheckpointStore, onEpoch = async () => {}): Promise<TrainingTask> => ({
    engine: await createOnnxEngine('cpu'),
    network: whole(),
    sequences: sequences.slice(6),
    heldOut: sequences.slice(0, 6),
    plan: {
      epochs: 3,
      sequencesAnEpoch: 54,
      shape: { windows: 2, length: 32 },
      peakRate: 0.01,
      weightDecay: 0.01,
      fallingPasses: 8,
      patience: 3,
      stepOperations: 1e9,
    },
    random: createStream(8, 'training'),
    onEpoch,
    yieldToEventLoop: async () => {},
    checkpoints,
  });

  it('goes on from its checkpoint to the same end', async () => {
    const untouched = await trainNetwork(await task(store()));
    const checkpoints = store();
    let epochs = 0;
    const cut = async (): Promise<void> => {
      if (++epochs === 2) throw new Error('the machine was taken away');
    };
    await expect(trainNetwork(await task(checkpoints, cut))).rejects.toThrow('taken away');
    expect(checkpoints.saved.length).toBe(1);
    expect(await trainNetwork(await task(checkpoints))).toEqual(untouched);
  });

  it('begins at the start where the checkpoint is damaged or of another task, and goes on where none can be kept', async () => {
    const untouched = await trainNetwork(await task(store()));
    const full = { load: async () => undefined, save: () => Promise.reject(new Error('no space left')) };
    expect(await trainNetwork(await task(full))).toEqual(untouched);
    const checkpoints = store();
    await trainNetwork(await task(checkpoints));
    const [first] = checkpoints.saved;
    for (const bytes of [
      first!.slice(0, 100),
      first!.slice(0, -4),
      new Uint8Array(),
      new TextEncoder().encode('{}\n'),
    ]) {
      expect(readCheckpoint(bytes, 'anything')).toBeUndefined();
      expect(await trainNetwork(await task({ ...store(), load: async () => bytes }))).toEqual(untouched);
    }
  });
});
