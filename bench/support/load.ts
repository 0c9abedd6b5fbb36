/** How busy the machine is: what a time that was measured meanwhile is worth. */
import { availableParallelism, loadavg } from 'node:os';

/** Processes that ran or waited for a core, in the mean of the last minute. */
export const loadLine = (): string =>
  `load of the last minute: ${(loadavg()[0] ?? Number.NaN).toFixed(1)} on ${availableParallelism()} cores`;
