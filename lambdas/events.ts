/** GET /events/{job_id}. */
import { openService } from './http/openService.ts';
import { runtime } from './http/runtime.ts';
import { streamed } from './http/streamed.ts';

export const handler = streamed(openService().application, runtime);
