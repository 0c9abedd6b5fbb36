/** GPU availability by the compute environment; its name comes from the last job on one. */
import { type BatchClient, DescribeComputeEnvironmentsCommand } from '@aws-sdk/client-batch';
import type { Clock, Gpu, Log } from '../../service/ports.ts';
import { ITEMS } from './names.ts';
import { type RecordTable, text } from './recordTable.ts';

/** Batch limits requests, so answers are cached (ms). */
const FRESH_MS = 30_000;

interface BatchGpuParts {
  compute: BatchClient;
  table: RecordTable;
  computeEnvironment: string;
  clock: Clock;
  log: Log;
}

/** Never rejects; reports no GPU if Batch does not answer. */
export function createBatchGpu({ compute, table, computeEnvironment, clock, log }: BatchGpuParts): () => Promise<Gpu> {
  let known: { gpu: Gpu; at: number } | undefined;
  return async () => {
    const now = clock.now().getTime();
    if (known && now - known.at < FRESH_MS) return known.gpu;
    const available = computeEnvironment !== '' && (await isUsable(compute, computeEnvironment, log));
    const gpu = { available, name: available ? await lastName(table, log) : null };
    known = { gpu, at: now };
    return gpu;
  };
}

export async function reportGpu(table: RecordTable, name: string, at: string): Promise<void> {
  await table.update(ITEMS.gpu, {
    update: 'SET #name = :name, #at = :at',
    values: { ':name': text(name), ':at': text(at) },
  });
}

async function isUsable(compute: BatchClient, name: string, log: Log): Promise<boolean> {
  try {
    const command = new DescribeComputeEnvironmentsCommand({ computeEnvironments: [name] });
    const [found] = (await compute.send(command)).computeEnvironments ?? [];
    const room = (found?.computeResources?.maxvCpus ?? 0) > 0;
    return found?.state === 'ENABLED' && found.status === 'VALID' && room;
  } catch (error) {
    log.error('gpu_unknown', { fault: error instanceof Error ? error.name : typeof error });
    return false;
  }
}

async function lastName(table: RecordTable, log: Log): Promise<string | null> {
  try {
    return (await table.get(ITEMS.gpu))?.name?.S ?? null;
  } catch (error) {
    log.error('gpu_unknown', { fault: error instanceof Error ? error.name : typeof error });
    return null;
  }
}
