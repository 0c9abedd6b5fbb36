/** POST /upload of small files, which API Gateway and Lambda can carry; larger ones come by the upload service. */
import { buffered } from './http/buffered.ts';
import { openService } from './http/openService.ts';
import { workerReader } from './http/workerReader.ts';

export const handler = buffered(openService(workerReader()).application);
