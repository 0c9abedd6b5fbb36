/** GET and POST /mcp: assistants, whose calls are answered by the same routes within this function. */
import { openService } from './http/openService.ts';
import { runtime } from './http/runtime.ts';
import { streamed } from './http/streamed.ts';
import { workerReader } from './http/workerReader.ts';

export const handler = streamed(openService(workerReader()).application, runtime);
