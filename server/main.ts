/** `npm start`: the service on this machine. Prints two lines for scripts; its log goes to standard error. */
import { type LocalService, openLocal } from '../adapters/local/openLocal.ts';
import { createApp } from '../api/app.ts';
import { ServiceError } from '../domain/errors.ts';
import type { KeyStore } from '../domain/ports.ts';
import { MAX_UPLOAD_BYTES } from '../domain/service.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createHttpServer } from './httpServer.ts';
import { createJsonLog } from './jsonLog.ts';
import { closeGracefully, listen, urlOf } from './listen.ts';
import { readSettings, type ServerSettings, SettingsError } from './settings.ts';
import { stopOnSignal } from './stopOnSignal.ts';

const log = createJsonLog((line) => process.stderr.write(line));

try {
  const settings = readSettings(process.env);
  await serve(settings, open(settings));
} catch (error) {
  process.stderr.write(`The service cannot start. ${explain(error)}\n`);
  process.exit(1);
}

function open(settings: ServerSettings): LocalService {
  return openLocal({ ...settings, version: packageJson.version, maxUploadBytes: MAX_UPLOAD_BYTES, log });
}

async function serve(settings: ServerSettings, local: LocalService): Promise<void> {
  await local.start();
  const server = createHttpServer(createApp(local.service, settings), log);
  await listen(server, settings.host, settings.port);
  // Before the announcement: whoever reads it may send a signal at once.
  stopOnSignal(log, async () => {
    await closeGracefully(server);
    await local.close();
  });
  const firstKey = await makeFirstKey(local.service.keys);
  const url = urlOf(server, settings.host);
  const keyLine = firstKey ? `API key (shown once): ${firstKey}\n` : '';
  process.stdout.write(`Listening on ${url}\n${keyLine}`);
  log.info('started', { url, version: packageJson.version });
}

/** A key for whoever starts the service for the first time; later ones are made by `npm run keys`. */
async function makeFirstKey(keys: KeyStore): Promise<string | undefined> {
  if ((await keys.list()).length > 0) return undefined;
  return (await keys.create('first')).key;
}

/** What the operator can act on. A system error's message names the folder or the port, which the operator set. */
function explain(error: unknown): string {
  if (error instanceof SettingsError) return `A setting is wrong.\n${error.message}`;
  if (error instanceof ServiceError && error.cause instanceof Error) return `${error.message} (${error.cause.message})`;
  return error instanceof Error ? error.message : String(error);
}
