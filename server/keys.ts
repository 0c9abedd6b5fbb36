import { openStores } from '../adapters/local/openStores.ts';
import { ServiceError } from '../packages/contract/errors.ts';
import { ENV } from '../service/job/environment.ts';
import type { KeyRecord, KeyStore } from '../service/ports.ts';
import { readSettings, SettingsError } from './settings.ts';
import { asksForHelp, KEYS_USAGE } from './usage.ts';

const RELEASE = '--release';

const COMMANDS: Record<string, (keys: KeyStore, argument: string | undefined, mayRelease: boolean) => Promise<string>> =
  {
    create: async (keys, name, mayRelease) => {
      if (!name || name.length > 100) throw new UsageError('A key needs a name of 1 to 100 characters.');
      const { key, record } =
        (await keys.createFirst(name)) ?? (await keys.create(name, mayRelease ? ['release'] : []));
      return `API key (shown once): ${key}\nid: ${record.id}\nrights: ${rightsOf(record)}`;
    },
    list: async (keys) => {
      const records = await keys.list();
      if (records.length === 0) return 'There are no keys yet.';
      const rows = records.map((record) =>
        [record.id, record.createdAt, record.revokedAt ?? '-', rightsOf(record), record.name].join('\t'),
      );
      return ['id\tcreated\trevoked\trights\tname', ...rows].join('\n');
    },
    revoke: async (keys, id) => {
      if (!id) throw new UsageError('Give the id of the key to revoke, as `list` shows it.');
      if (await keys.revoke(id)) return `Revoked ${id}.`;
      throw new UsageError(`No valid key has the id ${JSON.stringify(id)}. \`list\` shows the ids.`);
    },
  };

/** Null for version 0.1; see docs/operations.md. */
const rightsOf = ({ rights }: KeyRecord): string => rights.join(',') || 'none';

async function open(): Promise<{ keys: KeyStore; close(): void }> {
  const tableName = process.env[ENV.tableName];
  if (!tableName) return openStores(readSettings(process.env).dataDir);
  const { openAwsKeys } = await import('../adapters/aws/openAws.ts');
  return openAwsKeys(tableName);
}

class UsageError extends Error {
  override readonly name = 'UsageError';
}

async function main(args: string[]): Promise<void> {
  if (asksForHelp(args)) return console.log(KEYS_USAGE);
  const [name = '', argument, ...more] = args.filter((arg) => arg !== RELEASE);
  const mayRelease = args.includes(RELEASE);
  const isKnown = Object.hasOwn(COMMANDS, name) && more.length === 0 && (name === 'create' || !mayRelease);
  const command = isKnown ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(KEYS_USAGE);
  const opened = await open();
  try {
    console.log(await command(opened.keys, argument, mayRelease));
  } finally {
    opened.close();
  }
}

process.umask(0o077);
try {
  await main(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof UsageError || error instanceof SettingsError || error instanceof ServiceError;
  if (!expected) throw error;
  console.error(error.message);
  process.exit(2);
}
