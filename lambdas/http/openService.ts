/** The service as this function's environment describes it, opened once for all its invocations. */
import { readAwsSettings } from '../../adapters/aws/awsSettings.ts';
import { type AwsService, openAws } from '../../adapters/aws/openAws.ts';
import { createApp } from '../../api/app.ts';
import { ENV } from '../../domain/job/environment.ts';
import type { UploadReader } from '../../domain/ports.ts';
import { MAX_UPLOAD_BYTES } from '../../domain/service.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { createJsonLog } from '../../server/jsonLog.ts';
import { readSettings } from '../../server/settings.ts';
import type { Application } from './buffered.ts';
import { bundleFile } from './bundleFile.ts';

/** In functions that are never sent an upload. */
const NO_READER: UploadReader = {
  profile: () => Promise.reject(new Error('uploads are read by another function')),
};

export interface OpenService extends AwsService {
  application: Application;
}

export function openService(reader: UploadReader = NO_READER): OpenService {
  const settings = readSettings(process.env);
  const maxUploadBytes = Number(process.env[ENV.maxUploadBytes] ?? MAX_UPLOAD_BYTES);
  const log = createJsonLog((line) => process.stdout.write(line));
  const parts = { ...settings, version: packageJson.version, maxUploadBytes, reader, log };
  const opened = openAws(readAwsSettings(process.env), parts);
  return { ...opened, application: createApp(opened.service, { ...settings, mcpBundle: bundleFile }) };
}
