import { ServiceError } from '../../packages/contract/errors.ts';
import { type Attempt, slotOf } from '../../service/job/job.ts';
import type { Capacity } from '../../service/ports.ts';
import { RETRY_AFTER_SECONDS } from '../../service/service.ts';
import { LINUX, type Machine } from './machineMemory.ts';

/** Reservation without a process ends after this time. */
const START_MS = 10_000;

const MB = 2 ** 20;

interface Reservation {
  bytes: number;
  since: number;
}

export class MemoryCapacity implements Capacity {
  readonly #processes: () => ReadonlyMap<string, number>;
  readonly #machine: Machine;
  readonly #reserved = new Map<string, Reservation>();

  /** Process ids by slot. */
  constructor(processes: () => ReadonlyMap<string, number>, machine: Machine = LINUX) {
    this.#processes = processes;
    this.#machine = machine;
  }

  async admit(attempt: Attempt, memoryMb: number): Promise<void> {
    const bytes = memoryMb * MB;
    const total = this.#machine.total();
    if (bytes > total) {
      throw new ServiceError({ reason: 'memory_never_enough', needed_mb: memoryMb, total_mb: Math.floor(total / MB) });
    }
    const available = Math.max(0, this.#machine.available() - this.#stillToBeTaken());
    if (bytes > available) {
      const found = { needed_mb: memoryMb, available_mb: Math.floor(available / MB) };
      throw new ServiceError({ reason: 'memory_short', ...found, seconds: RETRY_AFTER_SECONDS });
    }
    this.#reserved.set(slotOf(attempt.jobId, attempt.attempt), { bytes, since: performance.now() });
  }

  async room(): Promise<{ nowMb: number; everMb: number }> {
    const available = Math.max(0, this.#machine.available() - this.#stillToBeTaken());
    return { nowMb: Math.floor(available / MB), everMb: Math.floor(this.#machine.total() / MB) };
  }

  release(attempt: Attempt): void {
    this.#reserved.delete(slotOf(attempt.jobId, attempt.attempt));
  }

  #stillToBeTaken(): number {
    const processes = this.#processes();
    let bytes = 0;
    for (const [slot, own] of this.#reserved) {
      const pid = processes.get(slot);
      if (pid !== undefined) bytes += Math.max(0, own.bytes - this.#machine.heldBy(pid));
      else if (performance.now() - own.since < START_MS) bytes += own.bytes;
      else this.#reserved.delete(slot);
    }
    return bytes;
  }
}
