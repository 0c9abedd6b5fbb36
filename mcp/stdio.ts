import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { SyntheticTables } from '../packages/client/client.ts';
import { createServer } from './createServer.ts';
import { STDIO_ENVIRONMENT, STDIO_TOOLS } from './stdioTools.ts';

/** Set by the bundler. */
declare const BUNDLED_VERSION: string | undefined;
const version = typeof BUNDLED_VERSION === 'string' ? BUNDLED_VERSION : '0.0.0';

const url = process.env[STDIO_ENVIRONMENT.url];
const key = process.env[STDIO_ENVIRONMENT.key];
if (!url || !key || !URL.canParse(url)) {
  process.stderr.write(
    `Set ${STDIO_ENVIRONMENT.url} to the address of the service, such as https://tables.example.org, and ${STDIO_ENVIRONMENT.key} to your key.\n`,
  );
  process.exit(2);
}

await createServer(new SyntheticTables({ url, key }), version, STDIO_TOOLS).connect(new StdioServerTransport());
