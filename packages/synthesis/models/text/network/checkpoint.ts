import { z } from 'zod';

export interface EpochFigures {
  epoch: number;
  /** Mean per token, in nats. */
  trainingLoss: number;
  /** Sum over tokens, in nats; NaN if none are held out. */
  heldOutLoss: number;
}

export interface Checkpoint {
  /** Identifies the run. */
  of: string;
  done: number;
  history: EpochFigures[];
  /** The parameters and Adam's two averages. */
  state: readonly Float32Array[];
  best: { epoch: number; loss: number; parameters: Float32Array; likelihoods: readonly Float32Array[] };
}

/** Keeps the last one. */
export interface CheckpointStore {
  load(): Promise<Uint8Array | undefined>;
  save(bytes: Uint8Array): Promise<void>;
}

/** JSON writes NaN as null. */
const number = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NaN);

const headerSchema = z.object({
  of: z.string(),
  done: z.int().min(0),
  history: z.array(z.object({ epoch: z.int(), trainingLoss: number, heldOutLoss: number })),
  best: z.object({ epoch: z.int(), loss: number }),
  lengths: z.array(z.int().min(0)),
});

const NEW_LINE = 10;

export function writeCheckpoint({ of, done, history, state, best }: Checkpoint): Uint8Array {
  const arrays = [...state, best.parameters, ...best.likelihoods];
  const lengths = arrays.map(({ length }) => length);
  const header = { of, done, history, best: { epoch: best.epoch, loss: best.loss }, lengths };
  const head = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const out = new Uint8Array(head.length + 4 * lengths.reduce((a, b) => a + b, 0));
  out.set(head);
  let at = head.length;
  for (const array of arrays) {
    out.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += array.byteLength;
  }
  return out;
}

/** Undefined unless the bytes are a whole checkpoint of `of`. */
export function readCheckpoint(bytes: Uint8Array, of: string): Checkpoint | undefined {
  const header = headerOf(bytes);
  const start = bytes.indexOf(NEW_LINE) + 1;
  if (header?.of !== of || bytes.length !== start + 4 * header.lengths.reduce((a, b) => a + b, 0)) return undefined;
  let at = start;
  const arrays = header.lengths.map((length) => {
    const array = new Float32Array(bytes.slice(at, at + 4 * length).buffer);
    at += 4 * length;
    return array;
  });
  const [parameters, first, second, best, ...likelihoods] = arrays;
  if (!parameters || !first || !second || !best) return undefined;
  const { done, history } = header;
  return {
    of,
    done,
    history,
    state: [parameters, first, second],
    best: { ...header.best, parameters: best, likelihoods },
  };
}

function headerOf(bytes: Uint8Array): z.infer<typeof headerSchema> | undefined {
  try {
    return headerSchema.parse(JSON.parse(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(NEW_LINE)))));
  } catch {
    return undefined;
  }
}
