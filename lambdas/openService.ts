/** Opened once for all invocations. */

import { readAwsSettings } from '../adapters/aws/awsSettings.ts';
import { type AwsService, openAws } from '../adapters/aws/openAws.ts';
import { UPLOAD } from '../packages/contract/files.ts';
import { VERSION } from '../packages/contract/version.ts';
import { createJsonLog } from '../server/jsonLog.ts';
import { readSettings } from '../server/settings.ts';
import { ENV } from '../service/job/environment.ts';
import type { UploadReader } from '../service/ports.ts';

const NO_READER: UploadReader = {
  profile: () => Promise.reject(new Error('uploads are read by another function')),
};

export function openService(reader: UploadReader = NO_READER): AwsService {
  const settings = readSettings(process.env);
  const maxUploadBytes = Number(process.env[ENV.maxUploadBytes] ?? UPLOAD.maxBytes);
  const log = createJsonLog((line) => process.stdout.write(line));
  const parts = { ...settings, version: VERSION, maxUploadBytes, reader, log };
  return openAws(readAwsSettings(process.env), parts);
}
