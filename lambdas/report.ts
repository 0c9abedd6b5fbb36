/** GET /report/{job_id} and /report/{job_id}.json. */
import { buffered } from './http/buffered.ts';
import { openService } from './http/openService.ts';

export const handler = buffered(openService().application);
