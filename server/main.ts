/** `synthetic-tables serve`: the service, or its uploads on AWS. */
import { isOnAws, readStoreSettings } from '../adapters/aws/awsSettings.ts';
import { openLocal } from '../adapters/local/openLocal.ts';
import { WorkerUploadReader } from '../adapters/local/workerUploadReader.ts';
import { HELPER_NICENESS, lowerPool } from '../adapters/shared/priority.ts';
import { createApp } from '../api/app.ts';
import { ServiceError } from '../packages/contract/errors.ts';
import { UPLOAD } from '../packages/contract/files.ts';
import { VERSION } from '../packages/contract/version.ts';
import { problemText } from '../packages/words/problems.ts';
import type { KeyStore } from '../service/ports.ts';
import type { Service } from '../service/service.ts';
import { closeGracefully, createHttpServer, listen, stopOnSignal, urlOf } from './httpServer.ts';
import { createJsonLog } from './jsonLog.ts';
import { mcpBundle } from './mcpBundle.ts';
import { readSettings, type ServerSettings, SettingsError } from './settings.ts';
import { asksForHelp, SERVE_USAGE } from './usage.ts';

// Written files are private.
process.umask(0o077);

const log = createJsonLog((line) => process.stderr.write(line));

const args = process.argv.slice(2);
if (asksForHelp(args)) {
  process.stdout.write(`${SERVE_USAGE}\n`);
  process.exit(0);
}
if (args.length > 0) {
  process.stderr.write(`serve takes no arguments; found ${JSON.stringify(args[0])}.\n\n${SERVE_USAGE}\n`);
  process.exit(2);
}

try {
  const settings = readSettings(process.env);
  await serve(settings, await open(settings));
} catch (error) {
  process.stderr.write(`The service cannot start. ${explain(error)}\n`);
  process.exit(1);
}

interface Opened {
  service: Service;
  start(): Promise<void>;
  close(): Promise<void> | void;
  makesFirstKey: boolean;
}

async function open(settings: ServerSettings): Promise<Opened> {
  const parts = { ...settings, version: VERSION, maxUploadBytes: UPLOAD.maxBytes, log };
  if (!isOnAws(process.env)) return { ...openLocal(parts), makesFirstKey: true };
  // Loads the SDK late, since it takes 0.25 s and 60 MB.
  const { openUploads } = await import('../adapters/aws/openAws.ts');
  const uploads = openUploads(readStoreSettings(process.env), { ...parts, reader: new WorkerUploadReader() });
  return { ...uploads, start: async () => undefined, makesFirstKey: false };
}

async function serve(settings: ServerSettings, opened: Opened): Promise<void> {
  await opened.start();
  await lowerPool(HELPER_NICENESS);
  const server = createHttpServer(createApp(opened.service, { ...settings, mcpBundle }), log, settings.connections);
  await listen(server, settings.host, settings.port);
  // Comes before the announcement, whose reader may send a signal at once.
  stopOnSignal(log, async () => {
    await closeGracefully(server);
    await opened.close();
  });
  const firstKey = opened.makesFirstKey ? await makeFirstKey(opened.service.keys) : undefined;
  const url = urlOf(server, settings.host);
  process.stdout.write(`Listening on ${url}\n${wayIn(urlOf(server, addressToOpen(settings.host)), firstKey)}`);
  log.info('started', { url, version: VERSION });
}

async function makeFirstKey(keys: KeyStore): Promise<string | undefined> {
  return (await keys.createFirst('first'))?.key;
}

/** "All addresses" cannot be opened in a browser. */
function addressToOpen(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

/** Browsers keep the fragment out of requests and logs. Only the key's hash is kept. */
function wayIn(url: string, firstKey: string | undefined): string {
  if (firstKey !== undefined) return `API key (shown once): ${firstKey}\nOpen ${url}/#key=${firstKey}\n`;
  return `Open ${url} and enter your key; for another one: synthetic-tables keys create NAME\n`;
}

/** System errors name the operator's folder or port, so they are shown. */
function explain(error: unknown): string {
  if (error instanceof SettingsError) return `A setting is not valid.\n${error.message}`;
  if (error instanceof ServiceError) {
    const why = error.cause instanceof Error ? ` (${error.cause.message})` : '';
    return `${problemText(error, 'cli')}${why}`;
  }
  return error instanceof Error ? error.message : String(error);
}
