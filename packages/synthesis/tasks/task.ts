/** Work that runs in threads if faster, with the same result. */
import type { ProgressEvent } from '../../contract/events.ts';
import type { ThreadWork } from '../../contract/problems.ts';
import { inSteps, type Steps } from '../../numerics/steps.ts';

export type TaskName =
  | 'boostClasses'
  | 'boostDensity'
  | 'boostLabel'
  | 'boostMean'
  | 'drawDensity'
  | 'drawNumbers'
  | 'fitVineEdge'
  | 'growTree'
  | 'measureFigures'
  | 'weighLabel';

export interface TaskHooks {
  yieldToEventLoop(): Promise<void>;
  onProgress(event: ProgressEvent): Promise<void>;
}

export type Run<Order, Reply> = (order: Order, hooks: TaskHooks) => Promise<Reply>;

export interface TaskCost<Unit extends string = string> {
  /** Estimated seconds per unit of work. */
  seconds: Readonly<Record<Unit, number>>;
  /** Minimum seconds that pay for threads; the default is 1. */
  worthSeconds?: number;
  /** Minimum orders that pay for threads; the default is 1. */
  fewestOrders?: number;
  /** Cores that other work needs meanwhile; the default is 0. */
  coresInUse?: number;
}

/** Orders and replies are plain data. Define a task next to its function and list it in `taskRegistry.ts`. */
export interface Task<Order, Reply> {
  name: TaskName;
  /** Names the work if a thread dies. */
  work: ThreadWork;
  cost: TaskCost;
  /** Opens the task in a thread, by what the runner sent when it started the thread. */
  open(sent: unknown): Run<Order, Reply>;
}

export const bySteps =
  <Order, Reply>(steps: (order: Order) => Steps<Reply>): Task<Order, Reply>['open'] =>
  () =>
  (order, { yieldToEventLoop }) =>
    inSteps(steps(order), yieldToEventLoop);

// Messages are not validated, since both sides run the same version.

export interface ThreadStart<Name extends TaskName = TaskName> {
  name: Name;
  sent: unknown;
}

export type ThreadMessage<Reply> = { event: ProgressEvent } | { reply: Reply };
