/** Several processes on one storage, each of whose calls of a port waits for its turn, may fail, and may be the last one. */
import type { Service } from '../../service/service.ts';

/** `…After`: the call is done, and its answer is lost. A process that dies never hears of its call again. */
export type Fault = 'fails' | 'failsAfter' | 'dies' | 'diesAfter';
export const FAULTS: readonly Fault[] = ['fails', 'failsAfter', 'dies', 'diesAfter'];

export type Act = (service: Service) => Promise<unknown>;

/** A call that waits. */
export interface Step {
  /** Of the process, in the order in which they were given. */
  actor: number;
  /** Calls that the process has made before. */
  at: number;
  call: string;
}

export interface Rules {
  /** Which of those that wait is next; at least one does. */
  choose(waiting: readonly Step[]): Step;
  fault(step: Step): Fault | undefined;
  /** After each call. */
  check?(step: Step): Promise<void>;
}

export type Ending = { kind: 'returned'; value: unknown } | { kind: 'threw'; error: unknown } | { kind: 'died' };

const PORTS = ['jobs', 'objects', 'callbacks', 'queue', 'idempotency'] as const;

interface Waiting extends Step {
  go(fault: Fault | undefined): Promise<void>;
}

/** Resolves when each process has returned, thrown or died. */
export async function interleave(service: Service, acts: readonly Act[], rules: Rules): Promise<Ending[]> {
  const waiting: Waiting[] = [];
  const endings: (Ending | undefined)[] = acts.map(() => undefined);
  let arrived = (): void => {};
  const asked = acts.map(() => 0);
  const take = (step: Waiting): void => {
    waiting.push(step);
    arrived();
  };
  const end = (actor: number, ending: Ending): void => {
    endings[actor] ??= ending;
    arrived();
  };
  acts.forEach((act, actor) => {
    const call = (name: string, work: () => Promise<unknown>) =>
      new Promise<unknown>((resolve, reject) => {
        const step = { actor, at: asked[actor]!, call: name };
        asked[actor] = step.at + 1;
        const go = async (fault: Fault | undefined): Promise<void> => {
          if (fault === 'dies') return end(actor, { kind: 'died' });
          if (fault === 'fails') return reject(new Error(`${name} failed`));
          const done = await settled(work);
          if (fault === 'diesAfter') return end(actor, { kind: 'died' });
          if (fault === 'failsAfter') return reject(new Error(`the answer of ${name} was lost`));
          if (done.isHeld) resolve(done.value);
          else reject(done.error);
        };
        take({ ...step, go });
      });
    act(withPorts(service, call)).then(
      (value) => end(actor, { kind: 'returned', value }),
      (error: unknown) => end(actor, { kind: 'threw', error }),
    );
  });
  const isAtRest = (actor: number): boolean =>
    endings[actor] !== undefined || waiting.some((step) => step.actor === actor);
  const rest = async (): Promise<void> => {
    // What runs between two calls of a port takes no turn, but may take some rounds of the event loop.
    await new Promise(setImmediate);
    while (!acts.every((_, actor) => isAtRest(actor))) {
      await new Promise<void>((resolve) => {
        arrived = resolve;
        if (acts.every((_, actor) => isAtRest(actor))) resolve();
      });
    }
  };
  for (;;) {
    await rest();
    const alive = waiting.filter(({ actor }) => endings[actor]?.kind !== 'died');
    if (alive.length === 0) return endings.map((ending) => ending ?? { kind: 'died' });
    const chosen = rules.choose(alive);
    const step = alive.find(({ actor, at }) => actor === chosen.actor && at === chosen.at)!;
    waiting.splice(waiting.indexOf(step), 1);
    await step.go(rules.fault(step));
    await rules.check?.(step);
  }
}

type Settled = { isHeld: true; value: unknown } | { isHeld: false; error: unknown };

async function settled(work: () => Promise<unknown>): Promise<Settled> {
  try {
    return { isHeld: true, value: await work() };
  } catch (error) {
    return { isHeld: false, error };
  }
}

function withPorts(service: Service, call: (name: string, work: () => Promise<unknown>) => Promise<unknown>): Service {
  const own = { ...service };
  for (const port of PORTS) Object.assign(own, { [port]: proxied(service[port], port, call) });
  return own;
}

const proxied = (
  port: object,
  portName: string,
  call: (name: string, work: () => Promise<unknown>) => Promise<unknown>,
): object =>
  new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => call(`${portName}.${String(name)}`, async () => method.apply(target, args));
    },
  });
