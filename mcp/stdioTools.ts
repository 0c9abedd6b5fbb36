/**
 * What the server beside an assistant has more than the one behind POST /mcp: the files of its machine, which others must
 * never reach.
 */

import { createWriteStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { SyntheticTablesError } from '../packages/client/errors.ts';
import { jobIdSchema } from '../packages/contract/requests.ts';
import { counted } from '../packages/words/wording.ts';
import { defineTool, type Tool } from './tool.ts';
import { columnsOutput, describeColumns } from './tools/uploadTable.ts';
import { TOOLS } from './tools.ts';

const uploadFile = defineTool({
  name: 'upload_file',
  title: 'Upload a file from this machine',
  description:
    'Uploads a CSV or Excel file (.csv, .xlsx, .xls; at most 50 MB) by its path on this machine. The answer is that of upload_table. Next: generate.',
  input: { path: z.string().min(1).describe('The full path of the file.') },
  output: columnsOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(service, { path }, { signal }) {
    const file = await openAsBlob(path).catch((cause: unknown) => {
      throw new FileError('path_unreadable', path, cause);
    });
    return describeColumns(await service.upload(file, basename(path), { signal }));
  },
});

const saveTable = defineTool({
  name: 'save_table',
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
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(service, { job_id, path }, { signal }) {
    const { body } = await service.download(job_id, { signal });
    const file = createWriteStream(path, { flags: 'wx' });
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

export const STDIO_TOOLS: readonly Tool[] = [uploadFile, ...TOOLS, saveTable];

export const STDIO_ENVIRONMENT = { url: 'SYNTHETIC_TABLES_URL', key: 'SYNTHETIC_TABLES_KEY' } as const;
