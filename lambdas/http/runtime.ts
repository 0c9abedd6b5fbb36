import type { StreamingRuntime } from './streamed.ts';

/** Lambda's own Node.js runtime streams. Others have no such object, or the empty one that the AWS SDK leaves there. */
export const runtime: StreamingRuntime | undefined =
  typeof awslambda === 'undefined' || !('streamifyResponse' in awslambda) ? undefined : awslambda;
