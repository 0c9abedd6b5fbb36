/**
 * What the machines of a job cost on AWS: list prices of us-east-1, on demand, in US dollars (docs/scale.md says where they
 * come from). An assumption wherever they are used: regions, contracts and Spot differ.
 */

export interface MachinePrice {
  /** Of the machine, while it is there: processor, disk, public address. */
  dollarsPerHour: number;
  /** Seconds from its start to the first line of the job, which are paid, too. */
  startSeconds: number;
}

export interface MachinePrices {
  /** For jobs with text columns. */
  gpu: MachinePrice;
  cpu: MachinePrice;
  /** Requests, records, files and logs of one job. */
  requestDollars: number;
  /** What is assumed, in words. */
  assumes: string;
}

/** g6.xlarge 0.8048, 60 GB gp3 0.0066, public IPv4 0.005 an hour; Fargate: 4 vCPU at 0.04048, 16 GB at 0.004445, address. */
export const AWS_PRICES: MachinePrices = {
  gpu: { dollarsPerHour: 0.8164, startSeconds: 240 },
  cpu: { dollarsPerHour: 0.238, startSeconds: 68 },
  requestDollars: 0.0008,
  assumes:
    'List prices of us-east-1 on demand, a machine of its own that is started for the job, no time in which it stands idle',
};

/** Dollars for a job that runs so many seconds. */
export function priceOf(prices: MachinePrices, seconds: number, hasText: boolean): number {
  const { dollarsPerHour, startSeconds } = hasText ? prices.gpu : prices.cpu;
  return prices.requestDollars + (dollarsPerHour * (startSeconds + seconds)) / 3600;
}
