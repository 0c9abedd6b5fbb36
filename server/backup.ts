import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { backUp } from '../adapters/local/backUp.ts';
import { DATABASE_FILE } from '../adapters/local/database.ts';
import { readSettings } from './settings.ts';
import { asksForHelp, BACKUP_USAGE } from './usage.ts';

async function main(args: string[]): Promise<string> {
  if (asksForHelp(args)) return BACKUP_USAGE;
  const [folder, ...more] = args;
  if (folder === undefined || more.length > 0 || folder.startsWith('-')) throw new Error(BACKUP_USAGE);
  const { dataDir } = readSettings(process.env);
  if (!existsSync(join(dataDir, DATABASE_FILE))) {
    throw new Error(`${dataDir} is no data folder: it has no ${DATABASE_FILE}. Set DATA_DIR.`);
  }
  const target = resolve(folder);
  const objects = await backUp(dataDir, target);
  return `Backed up ${dataDir} to ${target}: the database and ${objects} files.`;
}

process.umask(0o077);
try {
  console.log(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(2);
}
