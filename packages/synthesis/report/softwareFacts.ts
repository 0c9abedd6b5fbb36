/** What a receipt and a report say of the software that made a table. */
import { cpus } from 'node:os';
import type { Software } from '../../contract/receipt.ts';
import { VERSION } from '../../contract/version.ts';

/** @param image of the container; null outside of one. */
export const softwareFacts = (image: string | null): Software => ({
  name: 'synthetic-tables',
  version: VERSION,
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  processor: cpus()[0]?.model.trim() || 'unknown',
  image,
});
