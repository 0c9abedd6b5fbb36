/** Chooses the method: private, by entities or by rows. */
import { isPrivate } from '../request/checkPrivacy.ts';
import { arrangeEntities } from './entities/arrangeEntities.ts';
import { openEntities } from './entities/entitiesMethod.ts';
import type { OpenedTable, OpenTask } from './method.ts';
import { type OpenCurator, openPrivately } from './private/privateMethod.ts';
import { openRows } from './rows/rowsMethod.ts';

export async function openTable(task: OpenTask, openCurator?: OpenCurator): Promise<OpenedTable> {
  const { real, request } = task;
  if (isPrivate(request)) return openPrivately({ ...task, request }, openCurator);
  const arranged = arrangeEntities(real.cells, real.profile, request);
  return arranged.entity ? openEntities(task, arranged) : openRows(task, arranged);
}
