/** The stand-in over HTTP: Batch's own paths for the SDK, and `/control/…` for the tests. Loopback only. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { faultsSchema } from './faults.ts';
import type { BatchStandIn } from './standIn.ts';
import { BatchError, REQUESTS } from './wire.ts';

type Handlers = Record<string, (body: unknown, request: IncomingMessage) => unknown>;

/** No answer is to be given. */
const SILENCE = Symbol('no answer');

/** Functions of the emulator say their process in the SDK's User-Agent. */
function killCaller(request: IncomingMessage): void {
  const pid = /app\/pid-(\d+)/.exec(request.headers['user-agent'] ?? '')?.[1];
  if (pid === undefined) throw new BatchError('ServerException', 'The caller said no process id.');
  process.kill(Number(pid), 'SIGKILL');
}

function submit(standIn: BatchStandIn, body: unknown, request: IncomingMessage) {
  if (standIn.takes('throttle')) throw new BatchError('TooManyRequestsException', 'Too Many Requests');
  if (standIn.takes('refuse')) throw new BatchError('ClientException', 'The queue takes no jobs now.');
  const { killCaller: kill } = standIn.faults;
  standIn.faults.killCaller = 'never';
  if (kill === 'before') {
    killCaller(request);
    return SILENCE;
  }
  const silent = standIn.takes('silent');
  const job = standIn.submit(REQUESTS.submitjob.parse(body));
  if (kill === 'after') killCaller(request);
  if (silent || kill === 'after' || !job) return SILENCE;
  return { jobArn: job.jobArn, jobName: job.jobName, jobId: job.jobId };
}

function batchHandlers(standIn: BatchStandIn): Handlers {
  return {
    submitjob: (body, request) => submit(standIn, body, request),
    describejobs: (body) => ({ jobs: standIn.describe(REQUESTS.describejobs.parse(body).jobs) }),
    listjobs: (body) => standIn.list(REQUESTS.listjobs.parse(body)),
    terminatejob: (body) => {
      const { jobId, reason } = REQUESTS.terminatejob.parse(body);
      standIn.terminate(jobId, reason);
      return {};
    },
    describecomputeenvironments: (body) => {
      const { computeEnvironments } = REQUESTS.describecomputeenvironments.parse(body);
      return { computeEnvironments: standIn.computeEnvironments(computeEnvironments) };
    },
  };
}

const jobSchema = z.object({ jobId: z.string() });

function controlHandlers(standIn: BatchStandIn): Handlers {
  return {
    faults: (body) => {
      standIn.faults = faultsSchema.parse({ ...standIn.faults, ...z.record(z.string(), z.unknown()).parse(body) });
      standIn.wake();
      return {};
    },
    jobs: () => standIn.jobs(),
    output: (body) => ({ text: standIn.output.get(jobSchema.parse(body).jobId) ?? '' }),
    reclaim: (body) => {
      standIn.reclaim(jobSchema.parse(body).jobId);
      return {};
    },
    kill: (body) => {
      standIn.kill(jobSchema.parse(body).jobId);
      return {};
    },
    reset: async () => {
      await standIn.reset();
      return {};
    },
  };
}

async function answer(routes: Record<string, Handlers>, request: IncomingMessage, response: ServerResponse) {
  const [, prefix = '', name = ''] = (request.url ?? '').split('/');
  const handler = routes[prefix]?.[name];
  try {
    if (!handler) throw new BatchError('ClientException', `The stand-in does not know ${request.url}.`);
    const result = await handler(JSON.parse((await text(request)) || '{}'), request);
    if (result === SILENCE) return;
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result));
  } catch (error) {
    const { name: type, status } =
      error instanceof BatchError
        ? error
        : { name: 'ClientException', status: error instanceof z.ZodError ? 400 : 500 };
    response.writeHead(status, { 'Content-Type': 'application/json', 'x-amzn-ErrorType': type });
    response.end(JSON.stringify({ message: error instanceof Error ? error.message : String(error) }));
  }
}

/** Listens before it resolves. */
export async function serveBatch(standIn: BatchStandIn, port = 0): Promise<{ url: string; close(): Promise<void> }> {
  const routes = { v1: batchHandlers(standIn), control: controlHandlers(standIn) };
  const server: Server = createServer((request, response) => void answer(routes, request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The stand-in for Batch has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
