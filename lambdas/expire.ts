/** Erases, once a day, what is kept no longer. */
import { expireObjects } from '../domain/job/expireObjects.ts';
import { openService } from './http/openService.ts';

const opened = openService();

export async function handler(): Promise<void> {
  await expireObjects(opened.service, await opened.orphans());
}
