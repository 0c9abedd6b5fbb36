/** Erases, once a day, what is kept no longer. */
import { expireObjects } from '../service/job/expire.ts';
import { openService } from './openService.ts';

const opened = openService();

export async function handler(): Promise<void> {
  await expireObjects(opened.service);
}
