import { clearCutOff } from '../service/job/cutOff.ts';
import { expireObjects } from '../service/job/expire.ts';
import { openService } from './openService.ts';

const opened = openService();

export async function handler(): Promise<void> {
  await clearCutOff(opened.service);
  await expireObjects(opened.service);
}
