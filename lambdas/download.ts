/** GET /download/{job_id}. */
import { openService } from './http/openService.ts';
import { streamed } from './http/streamed.ts';

/** Lambda's own Node.js runtime has it; others, as the emulators', may not. */
const runtime = typeof awslambda === 'undefined' ? undefined : awslambda;

export const handler = streamed(openService().application, runtime);
