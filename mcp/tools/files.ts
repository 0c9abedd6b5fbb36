/** Files of this machine: for the server that runs beside the assistant, never for the one that others reach. */
import { createWriteStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { SyntheticTablesError } from '../../client/errors.ts';
import { jobIdSchema } from '../../domain/schema/generateRequest.ts';
import { columnsOutput, describeColumns } from '../describeColumns.ts';
import { defineTool } from '../tool.ts';

export const uploadFile = defineTool({
  name: 'upload_file',
  title: 'Upload a file of this machine',
  description:
    'Uploads a CSV or Excel file (.csv, .xlsx, .xls; at most 50 MB) by its path on this machine. Answers as upload_table does. Next: generate.',
  input: { path: z.string().min(1).describe('Where the file is, in full.') },
  output: columnsOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(service, { path }, { signal }) {
    const file = await openAsBlob(path).catch((cause: unknown) => {
      throw new FileError(`${JSON.stringify(path)} cannot be read: ${messageOf(cause)}. Give the full path.`);
    });
    return describeColumns(await service.upload(file, basename(path), { signal }));
  },
});

export const saveTable = defineTool({
  name: 'save_table',
  title: 'Save a synthetic table on this machine',
  description: 'Writes the whole synthetic table of a job that is done to a new file. A file that is there is kept.',
  input: {
    job_id: jobIdSchema,
    path: z.string().min(1).describe('Where to write it, in full; as …/synthetic_data.csv. No file may be there.'),
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
      throw new FileError(`${JSON.stringify(path)} cannot be written: ${messageOf(cause)}. Give another path.`);
    }
    return { text: `Wrote ${file.bytesWritten} bytes to ${path}.`, data: { job_id, path, bytes: file.bytesWritten } };
  },
});

class FileError extends SyntheticTablesError {
  override readonly name = 'FileError';
  readonly code = 'file_error';
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
