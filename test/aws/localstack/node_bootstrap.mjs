// The runtime of one Lambda process: loads the handler that _HANDLER names, then answers invocations, one JSON line in
// and one out, on the socket whose descriptor is the first argument.
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';

const env = process.env;
// The SDK says this in its User-Agent, so that a fault can end exactly the process that made a call.
env.AWS_SDK_UA_APP_ID = `pid-${process.pid}`;

const socket = new Socket({ fd: Number(process.argv[2]), readable: true, writable: true });
const send = (message) => new Promise((sent) => socket.write(`${JSON.stringify(message)}\n`, sent));

// Response streaming as Lambda's Node runtime offers it, but collected: the emulator has no way to pass a stream on.
const STREAMS = Symbol('streams its response');

class ResponseStream extends Writable {
  chunks = [];
  metadata = undefined;
  setContentType(type) {
    this.metadata = { ...this.metadata, headers: { ...this.metadata?.headers, 'content-type': type } };
  }
  _write(chunk, _encoding, done) {
    this.chunks.push(chunk);
    done();
  }
}

globalThis.awslambda = {
  streamifyResponse: (handler) => Object.assign(handler, { [STREAMS]: true }),
  HttpResponseStream: { from: (stream, metadata) => Object.assign(stream, { metadata }) },
};

/** What was streamed, as the response that an integration without streaming expects. */
async function collect(handler, event, context) {
  const stream = new ResponseStream();
  const ended = finished(stream);
  await Promise.all([handler(event, stream, context), ended]);
  const bytes = Buffer.concat(stream.chunks);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  return {
    statusCode: 200,
    ...stream.metadata,
    body: isText ? text : bytes.toString('base64'),
    isBase64Encoded: !isText,
  };
}

async function loadHandler() {
  const dot = env._HANDLER.lastIndexOf('.');
  const [module, name] = [env._HANDLER.slice(0, dot), env._HANDLER.slice(dot + 1)];
  const file = ['.mjs', '.js', '.cjs'].map((end) => join(env.LAMBDA_TASK_ROOT, module + end)).find(existsSync);
  if (!file) throw new Error(`Cannot find module '${module}'`);
  const loaded = await import(pathToFileURL(file).href);
  const handler = loaded[name] ?? loaded.default?.[name];
  if (typeof handler !== 'function') throw new Error(`${env._HANDLER} is undefined or not exported`);
  return handler;
}

const contextOf = (request) => ({
  awsRequestId: request['invoke-id'],
  invokedFunctionArn: request['invoked-function-arn'],
  functionName: env.AWS_LAMBDA_FUNCTION_NAME,
  functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
  memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
  logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => request.deadline - Date.now(),
});

async function answer(handler, request) {
  try {
    const [event, context] = [JSON.parse(request.payload || 'null'), contextOf(request)];
    const streamed = handler[STREAMS] === true;
    const result = await (streamed ? collect(handler, event, context) : handler(event, context));
    return { error: false, streamed, body: result === undefined ? 'null' : JSON.stringify(result) };
  } catch (error) {
    console.error(error);
    const trace = String(error?.stack ?? '').split('\n');
    const body = { errorType: error?.name ?? 'Error', errorMessage: String(error?.message ?? error), trace };
    return { error: true, body: JSON.stringify(body) };
  }
}

const handler = await loadHandler().catch(async (error) => {
  await send({ fatal: String(error?.stack ?? error) });
  process.exit(1);
});
await send({ ready: true });
for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }))
  await send(await answer(handler, JSON.parse(line)));
process.exit(0);
