/** upload → roles → generate → wait → write: what `synth TABLE` does, here or at a service. */
import type { SyntheticTables } from '../client/client.ts';
import type { GenerateRequestBody, UploadReply } from '../client/contract.ts';
import { roleFields } from '../client/roles.ts';
import { chooseRoles } from './chooseRoles.ts';
import { CliError, EXIT } from './exitCodes.ts';
import { finish, write } from './finish.ts';
import type { MakeCommand } from './parseOptions.ts';
import { readInput } from './readInput.ts';
import { columnsTable } from './tables.ts';

/** Throws CliError, the client's errors, or the signal's reason. */
export async function make(service: SyntheticTables, command: MakeCommand, signal: AbortSignal): Promise<void> {
  const { file, name } = await readInput(command.input);
  const upload = await service.upload(file, name, { signal });
  try {
    if (command.inspect) return showColumns(upload, command);
    const request = requestOf(upload, command);
    await service.generate(request, { signal });
    await finish(service, upload.job_id, command, request, signal);
  } catch (error) {
    if (signal.aborted) await service.cancel(upload.job_id).catch(() => undefined);
    throw error;
  } finally {
    if (command.erase) await service.erase(upload.job_id);
  }
}

function requestOf(upload: UploadReply, { roles, auto, settings }: MakeCommand): GenerateRequestBody {
  const fields = roleFields(chooseRoles(upload, roles, auto));
  if (fields.target_col === null && fields.text_cols.length === 0) {
    throw new CliError(EXIT.usage, 'A target or a text column is needed: name a numeric column by --target.');
  }
  return { n_samples: upload.n_rows, ...settings, ...fields, job_id: upload.job_id };
}

function showColumns(upload: UploadReply, { json }: MakeCommand): void {
  const { job_id: _, ...said } = upload;
  write(process.stdout, json ? JSON.stringify(said, null, 2) : columnsTable(upload));
}
