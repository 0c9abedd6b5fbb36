/**
 * Training and writing by the language model beside PyTorch, the same architecture in one run: tokens a second of all weights
 * trained in batches of 8 × 64; of 64 texts of one length written side by side; and of the texts of 256 rows, whose lengths
 * vary as wine's descriptions do. There a slot that ends a text takes the next row, while `generate` runs a batch until its
 * longest text ends; it is given the better of batches of 64 and 128. Ours writes with weights of bytes on a CPU, PyTorch
 * with floats. Weights are random: only time is measured.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { createStream } from '../packages/numerics/random/createStream.ts';
import type { TensorEngine } from '../packages/numerics/tensor/graph.ts';
import type { Architecture } from '../packages/synthesis/models/text/base/textBase.ts';
import { createDecoder, type Decoder } from '../packages/synthesis/models/text/network/decoder.ts';
import { startVector } from '../packages/synthesis/models/text/network/network.ts';
import { stepOperations, trainNetwork } from '../packages/synthesis/models/text/network/train.ts';
import { wholeNetwork } from '../packages/synthesis/models/text/network/trainableNetwork.ts';
import { createPunctuator } from '../packages/synthesis/models/text/punctuation.ts';
import { sampleToken } from '../packages/synthesis/models/text/sampleToken.ts';
import { compactArchitecture } from '../packages/synthesis/models/text/startNetwork.ts';
import { END, vocabularyOf } from '../packages/synthesis/models/text/tokens/vocabulary.ts';
import { writeRows } from '../packages/synthesis/models/text/writeRows.ts';
import type { Bench } from './support/bench.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute, preparePython } from './support/python.ts';
import { openResources } from './text/partedTable.ts';

/** SmolLM2-135M's, with twelve of its thirty layers. */
const BASE: Architecture = {
  width: 576,
  layers: 12,
  heads: 9,
  keyHeads: 3,
  headWidth: 64,
  hidden: 1536,
  ropeBase: 100_000,
  epsilon: 1e-5,
};
const MODELS: [name: string, architecture: Architecture, pieces: number, steps: number][] = [
  ['12 layers of the base', BASE, 6585, 10],
  ['compact', compactArchitecture(100_000), 2000, 100],
];
const WINDOWS = 8;
const LENGTH = 64;
const TEXTS = 64;
const NUCLEUS = 0.95;
const ROWS = 256;
/** Tokens of a text: log-normal of this mean and deviation, at most so many. */
const TEXT_TOKENS = { mean: 60, deviation: 0.35, most: 128 };

const peerSchema = z.object({ training: z.number(), writing: z.number(), rows: z.number() });
type Speed = z.infer<typeof peerSchema>;

export const bench: Bench = {
  title: "Text beside PyTorch: training at least its tokens a second, writing at least 3 × its generate's",
  async run() {
    const python = preparePython('torch', ['torch==2.13.0', 'transformers==5.23.0']);
    const { engine } = await openResources();
    console.log(`${engine.name}; ${loadLine()}`);
    const lengths = drawLengths();
    const rows: TableCell[][] = [];
    for (const [name, architecture, pieces, steps] of MODELS) {
      const ours = {
        training: await train(engine, architecture, pieces, steps),
        writing: await write(engine, architecture, pieces),
        rows: await writeAllRows(engine, architecture, pieces, lengths),
      };
      const sizes = { pieces, steps, windows: WINDOWS, length: LENGTH, texts: TEXTS };
      const asked = JSON.stringify({ ...architecture, ...sizes, lengths, batches: [TEXTS, 2 * TEXTS] });
      const script = join(import.meta.dirname, 'support', 'torchText.py');
      rows.push(rowOf(name, ours, peerSchema.parse(JSON.parse(execute(python, ['-W', 'ignore', script, asked])))));
    }
    const each = (what: string) => [`${what}: ours`, 'PyTorch', 'ratio'];
    printTable(['tokens a second', ...each('training'), ...each('equal texts'), ...each('rows')], rows);
    console.log(loadLine());
  },
};

const rowOf = (name: string, ours: Speed, peer: Speed): TableCell[] => [
  name,
  ours.training,
  peer.training,
  ours.training / peer.training,
  ours.writing,
  peer.writing,
  ours.writing / peer.writing,
  ours.rows,
  peer.rows,
  ours.rows / peer.rows,
];

function drawLengths(): number[] {
  const random = createStream(3, 'bench/textSpeed');
  const { mean, deviation, most } = TEXT_TOKENS;
  const centre = Math.log(mean) - deviation ** 2 / 2;
  return Array.from({ length: ROWS }, () =>
    Math.max(1, Math.min(most, Math.round(Math.exp(centre + deviation * random.normal())))),
  );
}

/** Tokens a second of the second of two epochs: the first has the engine's preparations in it. */
async function train(engine: TensorEngine, architecture: Architecture, pieces: number, steps: number): Promise<number> {
  const random = createStream(1, 'bench/textSpeed');
  const network = wholeNetwork(architecture, pieces, 1);
  const shape = { windows: WINDOWS, length: LENGTH };
  const sequences = Array.from({ length: steps * WINDOWS }, () => ({
    tokens: Int32Array.from({ length: LENGTH + 1 }, () => random.integer(pieces)),
    isWritten: new Uint8Array(LENGTH + 1).fill(1),
  }));
  const ends: number[] = [];
  await trainNetwork({
    engine,
    network,
    sequences,
    heldOut: [],
    random,
    plan: {
      epochs: 2,
      sequencesAnEpoch: sequences.length,
      shape,
      peakRate: 1e-3,
      weightDecay: 0.01,
      fallingPasses: 8,
      patience: 3,
      stepOperations: stepOperations(network, shape),
    },
    onEpoch: async () => void ends.push(performance.now()),
    yieldToEventLoop: async () => {},
  });
  return (steps * WINDOWS * LENGTH * 1000) / (ends[1]! - ends[0]!);
}

/** Of texts as long as a window, each token drawn from the nucleus; the first token, with the engine's preparations, apart. */
async function write(engine: TensorEngine, architecture: Architecture, pieces: number): Promise<number> {
  const random = createStream(2, 'bench/textSpeed');
  const decoder = randomDecoder(engine, architecture, pieces);
  const tokens = new Int32Array(TEXTS).fill(1);
  let start = 0;
  for (let place = 0; place < LENGTH; place++) {
    if (place === 1) start = performance.now();
    const after = await decoder.read(tokens);
    for (let text = 0; text < TEXTS; text++) {
      const own = after.subarray(text * pieces, (text + 1) * pieces);
      tokens[text] = sampleToken(own, NUCLEUS, random, (token) => token > 0);
    }
  }
  const seconds = (performance.now() - start) / 1000;
  await decoder.release();
  return (TEXTS * (LENGTH - 1)) / seconds;
}

function randomDecoder(engine: TensorEngine, architecture: Architecture, pieces: number): Decoder {
  const network = wholeNetwork(architecture, pieces, 1);
  const weights = network.plain(startVector(network.vector, createStream(4, 'bench/textSpeed')));
  return createDecoder(engine, architecture, weights, { slots: TEXTS, temperature: 1 });
}

/** Of texts of given lengths, each drawn from the nucleus up to its end; the engine's preparations apart. */
async function writeAllRows(
  engine: TensorEngine,
  architecture: Architecture,
  pieces: number,
  lengths: readonly number[],
): Promise<number> {
  const decoder = randomDecoder(engine, architecture, pieces);
  await decoder.read(new Int32Array(TEXTS));
  for (let slot = 0; slot < TEXTS; slot++) decoder.clear(slot);
  let [begun, written] = [0, 0];
  const wanted = new WeakMap<object, number>();
  const start = performance.now();
  await writeRows({
    decoder,
    vocabulary: vocabularyOf({ merges: [], split: [] }, new Array<string>(pieces - 1).fill('a')),
    nucleus: NUCLEUS,
    rows: lengths.length,
    prefix: () => [],
    columns: [
      {
        marker: pieces,
        mixer: endAt,
        punctuator: createPunctuator({ following: [] }),
        speller: null,
        longest: TEXT_TOKENS.most,
      },
    ],
    random: createStream(5, 'bench/textSpeed'),
    accept: () => 'taken',
    earliest: () => 0,
    eagerness: () => 1,
    mayHave: () => true,
    attempts: 1,
    onProgress: async () => {},
  });
  const seconds = (performance.now() - start) / 1000;
  await decoder.release();
  return written / seconds;

  /** Ends each text at a length of its own. */
  function endAt(probabilities: Float32Array | Float64Array, text: ArrayLike<number>, length: number): void {
    if (!wanted.has(text)) wanted.set(text, lengths[begun++]!);
    const isEnd = length - 1 === wanted.get(text);
    probabilities[END] = isEnd ? 1 : 0;
    if (!isEnd) written++;
  }
}
