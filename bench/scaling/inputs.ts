/** What the simulation of scale is told: times of Batch, prices, jobs. Seconds and US dollars. All of it may be changed. */

import { AWS_PRICES } from '../../adapters/aws/openAws.ts';

/** A duration: uniform between two bounds. */
export type Range = readonly [least: number, most: number];

export interface MachineKind {
  /** From RUNNABLE to the process's first line, where a machine has to be started: decision, launch, agent, image. */
  coldStart: Range;
  /** Where one stands idle: scheduling and the container. */
  warmStart: Range;
  /** How long Batch keeps a machine that has nothing to do. 0: none is ever kept. */
  keptIdle: number;
  /** Of a machine, while it is there: processor, disk, public address. */
  dollarsPerHour: number;
  /** What is billed at least, in seconds. */
  leastBilled: number;
  /** Machines that Spot takes away, per machine and hour. */
  reclaimedPerHour: number;
}

export interface ScaleInputs {
  gpu: MachineKind;
  cpu: MachineKind;
  /** Share of jobs with text columns, which go to the GPU queue. */
  textShare: number;
  /** Of a job's run: the median of a lognormal, and the standard deviation of its logarithm. */
  gpuRun: { median: number; spread: number };
  cpuRun: { median: number; spread: number };
  /** A client that is told 429 asks again after this, as Retry-After says. */
  retryAfter: number;
  /** From the process's end to the free slot: its own write; where that fails, the event or the schedule. */
  release: number;
  /** Requests, records, files and logs of one job. */
  requestDollars: number;
}

/**
 * Prices: list prices of us-east-1, on demand. g6.xlarge 0.8048, 60 GB gp3 0.0066, public IPv4 0.005 an hour. Fargate:
 * 4 vCPU at 0.04048 and 16 GB at 0.004445, and the address. Times: what users of managed compute environments report;
 * the GPU image is some 4 GB packed. Replace them by figures of your own account: every job's record and Batch's
 * description of it hold them.
 */
export const INPUTS: ScaleInputs = {
  gpu: {
    coldStart: [180, 300],
    warmStart: [5, 20],
    keptIdle: 300,
    dollarsPerHour: AWS_PRICES.gpu.dollarsPerHour,
    leastBilled: 60,
    reclaimedPerHour: 0,
  },
  cpu: {
    coldStart: [45, 90],
    warmStart: [45, 90],
    keptIdle: 0,
    dollarsPerHour: AWS_PRICES.cpu.dollarsPerHour,
    leastBilled: 60,
    reclaimedPerHour: 0,
  },
  textShare: 0.3,
  gpuRun: { median: 600, spread: 0.6 },
  cpuRun: { median: 120, spread: 0.6 },
  retryAfter: 5,
  release: 1,
  requestDollars: AWS_PRICES.requestDollars,
};

/** Spot: about a third of the price, taken away now and then. Fargate Spot is cheaper by 70 %. */
export const ON_SPOT: ScaleInputs = {
  ...INPUTS,
  gpu: { ...INPUTS.gpu, dollarsPerHour: 0.8048 * 0.35 + 0.0116, reclaimedPerHour: 0.05 },
  cpu: { ...INPUTS.cpu, dollarsPerHour: 0.233 * 0.3 + 0.005, reclaimedPerHour: 0.05 },
};
