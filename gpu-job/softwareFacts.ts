/** What a receipt says of the software that made a table. */
import { cpus } from 'node:os';
import { ENV } from '../domain/job/environment.ts';
import type { Software } from '../domain/receipt/receipt.ts';

export const softwareFacts = (
  version: string,
  environment: Readonly<Record<string, string | undefined>>,
): Software => ({
  name: 'synthetic-tables',
  version,
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  processor: cpus()[0]?.model.trim() || 'unknown',
  image: environment[ENV.containerImage] || null,
});
