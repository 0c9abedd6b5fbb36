/** Answers as a stream, where the runtime offers that. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Application, type BufferedHandler, buffered } from './buffered.ts';
import { toRequest } from './toRequest.ts';

/** What Lambda's own Node.js runtime adds to the global scope. */
export interface StreamingRuntime {
  streamifyResponse(
    handler: (event: APIGatewayProxyEvent, stream: Writable) => Promise<void>,
  ): (...args: never[]) => unknown;
  HttpResponseStream: {
    from(stream: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable;
  };
}

/** Streams with the runtime that is there, else answers as a whole. */
export const streamed = (
  application: Application,
  runtime: StreamingRuntime | undefined,
): BufferedHandler | ReturnType<StreamingRuntime['streamifyResponse']> =>
  runtime === undefined
    ? buffered(application)
    : runtime.streamifyResponse(async (event, stream) => {
        const response = await application.fetch(toRequest(event));
        const headers = Object.fromEntries(response.headers);
        await pour(response, runtime.HttpResponseStream.from(stream, { statusCode: response.status, headers }));
      });

/**
 * Where the body breaks off, the error is passed on and the stream is not ended: the runtime then marks the answer as
 * broken, and no client takes a part of a file for the whole.
 */
async function pour(response: Response, out: Writable): Promise<void> {
  // The head is sent with the first write, even where there is no body.
  out.write('');
  for await (const chunk of response.body ?? []) {
    if (!out.write(chunk)) await once(out, 'drain');
  }
  out.end();
}
