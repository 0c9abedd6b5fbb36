import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { drawNumbers } from '../../../packages/synthesis/models/copula/leafRankVine.ts';
import { runTasks, threadsWorth } from '../../../packages/synthesis/tasks/runTasks.ts';
import { bySteps, type Task } from '../../../packages/synthesis/tasks/task.ts';
import { TASKS } from '../../../packages/synthesis/tasks/taskRegistry.ts';

const twice = {
  name: 'growTree',
  work: 'trees',
  cost: { seconds: { row: 1e-3, cell: 1e-4 } },
  open: bySteps(function* (order: number) {
    yield;
    return 2 * order;
  }),
} satisfies Task<number, number>;

describe('threads worth starting', () => {
  it('are as many as there are orders and cores, once the work takes a second', () => {
    const cores = Math.min(8, availableParallelism());
    expect(threadsWorth(twice, { row: 500, cell: 4_000 }, 100)).toBe(0);
    expect(threadsWorth(twice, { row: 700, cell: 4_000 }, 100)).toBe(cores);
    expect(threadsWorth(twice, { row: 700, cell: 4_000 }, 1)).toBe(1);
  });

  it('depend on what the task asks for', () => {
    const worth = (cost: object, orders = 100) =>
      threadsWorth({ cost: { ...twice.cost, ...cost } }, { row: 1_500, cell: 0 }, orders);
    expect(worth({ worthSeconds: 2 })).toBe(0);
    expect(worth({ fewestOrders: 2 }, 1)).toBe(0);
    expect(worth({ coresInUse: availableParallelism() })).toBe(0);
  });
});

describe('tasks', () => {
  it('are listed by their names', async () => {
    const names = await Promise.all(Object.values(TASKS).map(async (load) => (await load()).name));
    expect(names).toEqual(Object.keys(TASKS));
  });

  it('run here in order, and yield between steps', async () => {
    let yields = 0;
    const kept = await runTasks(twice, [() => 1, () => 2, () => 3], {
      threads: 0,
      yieldToEventLoop: async () => void yields++,
      take: async (reply, at) => [at, reply],
    });
    expect(kept).toEqual([0, 1, 2].map((at) => [at, 2 * (at + 1)]));
    expect(yields).toBe(3);
  });

  const order = () => ({
    piece: { rows: 1, columns: new Map(), representative: false },
    random: { seed: 1, path: ['rows'] },
  });

  it('fail with their kind of work if a thread dies', async () => {
    const run = runTasks(drawNumbers, [order, order], {
      threads: 2,
      sent: () => 'no model',
      yieldToEventLoop: () => setTimeout(1),
      take: () => {},
    });
    await expect(run).rejects.toMatchObject({ params: { reason: 'thread_crashed', work: 'draws' } });
  });
});
