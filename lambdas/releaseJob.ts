/** POST /jobs/{job_id}/release. */
import { buffered } from './http/buffered.ts';
import { openService } from './http/openService.ts';

export const handler = buffered(openService().application);
