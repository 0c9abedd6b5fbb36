/** File tools of the local server, which POST /mcp must never offer. */

import { createWriteStream, openAsBlob } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { SyntheticTablesError } from '../packages/client/errors.ts';
import { knownExtension } from '../packages/contract/files.ts';
import { jobIdSchema } from '../packages/contract/requests.ts';
import { UPLOAD_ENDINGS, UPLOAD_SIZE } from '../packages/words/files.ts';
import { counted } from '../packages/words/wording.ts';
import { ADDS, defineTool, type Tool } from './tool.ts';
import {
  columnsOutput,
  describeColumns,
  nameColumns,
  takesEncoding,
  takesExamples,
  takesNamesOnly,
} from './tools/upload.ts';
import { TOOLS } from './tools.ts';

const uploadFile = defineTool({
  name: 'tables_upload_file',
  title: 'Upload a file from this machine',
  description: `Uploads a CSV or Excel file (${UPLOAD_ENDINGS}; at most ${UPLOAD_SIZE}) by its path on this machine. Answers as tables_inspect does. Next: tables_generate.`,
  input: {
    path: z.string().min(1).describe('The full path of the file, in the folder that the user allows.'),
    ...takesEncoding,
    ...takesExamples,
    ...takesNamesOnly,
  },
  output: columnsOutput,
  annotations: ADDS,
  async run(service, { path, encoding, examples, names_only }, { signal }) {
    const file = await allowedFile(path)
      .then((own) => openAsBlob(own))
      .catch((cause: unknown) => {
        throw new FileError('path_unreadable', path, cause);
      });
    const uploaded = await service.upload(file, basename(path), { signal, encoding });
    return names_only ? nameColumns(uploaded) : describeColumns(uploaded, { examples });
  },
});

const saveTable = defineTool({
  name: 'tables_save_file',
  title: 'Save a synthetic table on this machine',
  description: 'Writes the whole synthetic table of a finished job to a new file. An existing file is never replaced.',
  input: {
    job_id: jobIdSchema,
    path: z
      .string()
      .min(1)
      .describe('The full path to write to, such as …/synthetic_data.csv. No file may exist there.'),
  },
  output: { job_id: z.string(), path: z.string(), bytes: z.int() },
  annotations: ADDS,
  async run(service, { job_id, path }, { signal }) {
    const own = await allowedPath(path).catch((cause: unknown) => {
      throw new FileError('path_unwritable', path, cause);
    });
    const { body } = await service.download(job_id, { signal });
    const file = createWriteStream(own, { flags: 'wx', mode: 0o600 });
    try {
      await pipeline(body, file, { signal });
    } catch (cause) {
      if (signal.aborted) throw cause;
      throw new FileError('path_unwritable', path, cause);
    }
    return {
      text: `Wrote ${counted(file.bytesWritten, 'byte')} to ${path}.`,
      data: { job_id, path, bytes: file.bytesWritten },
    };
  },
});

class FileError extends SyntheticTablesError {
  override readonly name = 'FileError';
  readonly code = 'file_error';

  constructor(reason: 'path_unreadable' | 'path_unwritable', path: string, cause: unknown) {
    super(reason, { reason, path, why: cause instanceof Error ? cause.message : String(cause) }, { cause });
  }
}

// An assistant may be tricked, so it only reaches tables in one folder.

/** Resolves links; requires the allowed folder and a table's file name. Throws Error. */
async function allowedPath(path: string): Promise<string> {
  const folder = await realpath(process.env[STDIO_ENVIRONMENT.folder] || homedir());
  const own = join(await realpath(dirname(resolve(path))), basename(path));
  const parts = relative(folder, own).split(sep);
  if (parts[0] === '..' || isAbsolute(parts.join(sep)))
    throw new Error(`it is not in ${folder}, the folder that is allowed`);
  if (parts.some((part) => part.startsWith('.'))) throw new Error('hidden files and folders are not allowed');
  if (!knownExtension(own)) throw new Error(`its name must end in ${UPLOAD_ENDINGS}`);
  return own;
}

async function allowedFile(path: string): Promise<string> {
  const own = await allowedPath(path);
  if (!(await lstat(own)).isFile()) throw new Error('it is not a plain file');
  return own;
}

export const STDIO_TOOLS: readonly Tool[] = [uploadFile, ...TOOLS, saveTable];

export const STDIO_ENVIRONMENT = {
  url: 'SYNTHETIC_TABLES_URL',
  key: 'SYNTHETIC_TABLES_KEY',
  folder: 'SYNTHETIC_TABLES_FOLDER',
} as const;
