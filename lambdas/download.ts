/** GET /download/{job_id}. */
import { openService } from './http/openService.ts';
import { streamed } from './http/streamed.ts';

/** Lambda's own Node.js runtime streams. Others have no such object, or the empty one that the AWS SDK leaves there. */
const runtime = typeof awslambda === 'undefined' || !('streamifyResponse' in awslambda) ? undefined : awslambda;

export const handler = streamed(openService().application, runtime);
