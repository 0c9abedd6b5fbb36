/** Pages that need no key, and every address at which there is nothing. */
import { buffered } from './http/buffered.ts';
import { openService } from './http/openService.ts';

export const handler = buffered(openService().application);
