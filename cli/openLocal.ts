/** A service of one's own for the time of one command: the same rules, stores and jobs, in a folder that is removed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocal as openService } from '../adapters/local/openLocal.ts';
import { createApp } from '../api/app.ts';
import { SyntheticTables } from '../client/client.ts';
import type { Log } from '../domain/ports.ts';
import { MAX_UPLOAD_BYTES } from '../domain/service.ts';
import packageJson from '../package.json' with { type: 'json' };

const WEEK_SECONDS = 604_800;

export interface OpenedService {
  service: SyntheticTables;
  close(): Promise<void>;
}

/** No port is opened: requests go to the application as they are. */
export async function openLocal(log: Log): Promise<OpenedService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'synth-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  try {
    const opened = openService({
      dataDir,
      log,
      version: packageJson.version,
      jobTimeoutSeconds: WEEK_SECONDS,
      maxRunningJobs: 1,
      maxUploadBytes: MAX_UPLOAD_BYTES,
      uploadRetentionHours: 24,
      resultRetentionHours: 24,
    });
    await opened.start();
    const { key } = await opened.service.keys.create('synth');
    const app = createApp(opened.service, { corsOrigins: [] });
    const fetch = async (address: string, init: RequestInit) => app.fetch(new Request(address, init));
    return {
      service: new SyntheticTables({ url: 'http://localhost', key, fetch }),
      async close() {
        await opened.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
