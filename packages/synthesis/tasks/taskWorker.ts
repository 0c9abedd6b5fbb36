/** The entry of every worker thread of this package: it serves one task, order by order. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Task, TaskHooks, TaskName, ThreadMessage, ThreadStart } from './task.ts';
import { TASKS } from './taskRegistry.ts';

type OrderOf<Listed> = Listed extends Task<infer Order, unknown> ? Order : never;
type Orders = { [Name in TaskName]: OrderOf<Awaited<ReturnType<(typeof TASKS)[Name]>>> };

const LISTED: { [Name in TaskName]: () => Promise<Task<Orders[Name], unknown>> } = TASKS;

const say = (message: ThreadMessage<unknown>): void => parentPort?.postMessage(message);

const HOOKS: TaskHooks = {
  yieldToEventLoop: async () => {},
  onProgress: async (event) => say({ event }),
};

async function serve<Name extends TaskName>({ name, sent }: ThreadStart<Name>): Promise<void> {
  const run = (await LISTED[name]()).open(sent);
  parentPort?.on('message', async (order: Orders[Name]) => say({ reply: await run(order, HOOKS) }));
}

await serve(workerData);
