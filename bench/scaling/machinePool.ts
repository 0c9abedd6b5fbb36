/** Machines of one kind: started for a job that finds none idle, kept for a while, billed as long as they are there. */
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import type { EventQueue } from './eventQueue.ts';
import type { MachineKind, Range } from './inputs.ts';

interface Machine {
  since: number;
  idleSince: number;
}

const SECONDS_PER_HOUR = 3600;

export class MachinePool {
  /** Seconds that machines were there, and that jobs ran on them. */
  billed = 0;
  busy = 0;
  most = 0;
  readonly #idle: Machine[] = [];
  readonly #kind: MachineKind;
  readonly #events: EventQueue;
  readonly #random: RandomStream;
  #there = 0;

  constructor(kind: MachineKind, events: EventQueue, random: RandomStream) {
    this.#kind = kind;
    this.#events = events;
    this.#random = random;
  }

  /** Runs a job of so many seconds from start to end, again where its machine is taken away; then calls `ended`. */
  run(seconds: number, started: () => void, ended: () => void): void {
    const idle = this.#idle.pop();
    const machine = idle ?? this.#launch();
    this.#events.in(this.#draw(idle ? this.#kind.warmStart : this.#kind.coldStart), () => {
      started();
      const taken = this.#timeToReclaim();
      this.busy += Math.min(taken, seconds);
      this.#events.in(Math.min(taken, seconds), () => {
        if (taken < seconds) {
          this.#leave(machine);
          this.run(seconds, () => {}, ended);
        } else {
          this.#keep(machine);
          ended();
        }
      });
    });
  }

  get dollars(): number {
    return (this.billed / SECONDS_PER_HOUR) * this.#kind.dollarsPerHour;
  }

  #launch(): Machine {
    this.#there += 1;
    this.most = Math.max(this.most, this.#there);
    return { since: this.#events.now, idleSince: 0 };
  }

  #keep(machine: Machine): void {
    if (this.#kind.keptIdle === 0) {
      this.#leave(machine);
      return;
    }
    const since = this.#events.now;
    machine.idleSince = since;
    this.#idle.push(machine);
    this.#events.in(this.#kind.keptIdle, () => {
      const at = this.#idle.indexOf(machine);
      if (at < 0 || machine.idleSince !== since) return;
      this.#idle.splice(at, 1);
      this.#leave(machine);
    });
  }

  #leave(machine: Machine): void {
    this.#there -= 1;
    this.billed += Math.max(this.#kind.leastBilled, this.#events.now - machine.since);
  }

  #timeToReclaim(): number {
    const { reclaimedPerHour } = this.#kind;
    if (reclaimedPerHour === 0) return Number.POSITIVE_INFINITY;
    return (-Math.log(this.#random.uniform()) / reclaimedPerHour) * SECONDS_PER_HOUR;
  }

  #draw([least, most]: Range): number {
    return least + (most - least) * this.#random.uniform();
  }
}
