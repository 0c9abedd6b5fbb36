/** POST /sample/{job_id}. */
import { buffered } from './http/buffered.ts';
import { openService } from './http/openService.ts';

export const handler = buffered(openService().application);
