/** What each quota allows, as the number of running jobs at which it is reached. */
import type { ScaleInputs } from './inputs.ts';
import { capacityPerHour } from './simulate.ts';

export interface Quota {
  name: string;
  /** What an account has at first. */
  standard: string;
  /** Running jobs that need all of it; Infinity where it does not depend on them. */
  reachedAt: number;
  remedy: string;
}

/** vCPUs of one machine. */
const VCPUS = 4;

/**
 * Bytes that a slot adds to the slot item: its name (32 hexadecimal digits, # and the attempt) in the set, and the
 * attribute `taken <name>` with a time (24 characters) and a token (36), by DynamoDB's rules for sizes.
 */
export const SLOT_BYTES = 34 + (6 + 34) + 3 + (2 + 24 + 1) + (2 + 36 + 1);
const MAX_ITEM_BYTES = 400 * 1024;
/** Write units a second of one partition. An item never lies on two. */
const PARTITION_WRITES = 1000;

/** Write units of one write to the slot item, refused or not; a transaction counts twice. */
export const slotWrite = (running: number): number => Math.max(1, Math.ceil((running * SLOT_BYTES) / 1024));

/** Refused requests a second that the slot item bears beside the jobs that start and end. */
export function refusalsBorne(inputs: ScaleInputs, limit: number): number {
  const jobsPerSecond = capacityPerHour(inputs, limit) / 3600;
  // take, start (a transaction over slots and record), release (the same)
  const units = slotWrite(limit) * (1 + 2 + 2) * jobsPerSecond;
  return Math.max(0, (PARTITION_WRITES - units) / slotWrite(limit));
}

/** Those that are reached first, first. */
export function quotas(inputs: ScaleInputs): Quota[] {
  const list: Quota[] = [
    {
      name: 'EC2: Running On-Demand G and VT instances',
      standard: '0 vCPUs in a new account',
      reachedAt: 0,
      remedy: `ask for ${VCPUS} vCPUs for each job with text that may run`,
    },
    {
      name: 'Fargate On-Demand vCPU resource count',
      standard: '6 vCPUs in a new account',
      reachedAt: Math.floor(6 / VCPUS / (1 - gpuShare(inputs))),
      remedy: `ask for ${VCPUS} vCPUs for each job without text, and 4 for uploads`,
    },
    {
      name: 'Lambda concurrent executions',
      standard: '10 in a new account, else 1,000',
      reachedAt: Number.POSITIVE_INFINITY,
      remedy: 'ask for 1,000; a request takes one for some 50 ms',
    },
    {
      name: 'DynamoDB: 1,000 write units a second of one partition (the slot item)',
      standard: 'fixed',
      reachedAt: firstLimit((limit) => refusalsBorne(inputs, limit) < limit / inputs.retryAfter),
      remedy: 'let clients wait longer (Retry-After), or keep slots in several items, each with a part of the limit',
    },
    {
      name: 'DynamoDB: 400 KB an item (the slot item)',
      standard: 'fixed',
      reachedAt: Math.floor(MAX_ITEM_BYTES / SLOT_BYTES),
      remedy: 'keep slots in several items',
    },
  ];
  return list.sort((a, b) => a.reachedAt - b.reachedAt);
}

/** Share of the slots that are held by jobs on a GPU. */
function gpuShare(inputs: ScaleInputs): number {
  const held = ({ median, spread }: ScaleInputs['gpuRun'], [least, most]: readonly [number, number]) =>
    median * Math.exp(spread ** 2 / 2) + (least + most) / 2;
  const gpu = inputs.textShare * held(inputs.gpuRun, inputs.gpu.coldStart);
  const cpu = (1 - inputs.textShare) * held(inputs.cpuRun, inputs.cpu.coldStart);
  return gpu / (gpu + cpu);
}

function firstLimit(breaks: (limit: number) => boolean): number {
  for (let limit = 1; limit < 100_000; limit++) if (breaks(limit)) return limit;
  return Number.POSITIVE_INFINITY;
}
