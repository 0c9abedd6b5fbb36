import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { cacheFolder } from '../adapters/local/cacheFolder.ts';
import { createSigner, keyOfSeed, makeSeed } from '../adapters/shared/keys.ts';
import { textEnvironment, textOpener, textSettings } from '../gpu-job/openText.ts';
import { ServiceError } from '../packages/contract/errors.ts';
import type { JobEvent } from '../packages/contract/events.ts';
import { UPLOAD } from '../packages/contract/files.ts';
import type { Manifest, Receipt } from '../packages/contract/receipt.ts';
import type { TableRequestBody } from '../packages/contract/requests.ts';
import { inspect, type SyntheticTable, synthesize } from '../packages/synthesis/index.ts';
import { softwareFacts } from '../packages/synthesis/report/makeReport.ts';
import { OUTPUT_FORMATS } from '../packages/tables/formats.ts';
import { tableReport } from '../packages/tables/profile/profile.ts';
import { findCellTypes } from '../packages/tables/records.ts';
import { entryText } from '../packages/words/events.ts';
import { shareable } from '../packages/words/shareable.ts';
import { hashOf } from '../service/hashing.ts';
import { ENV } from '../service/job/environment.ts';
import { RESULT_FILE_NAME } from '../service/job/objectKeys.ts';
import type { Log } from '../service/ports.ts';
import { signReceipt } from '../service/receipt.ts';
import { CliError, EXIT } from './exitCodes.ts';
import { expectWritable, formatOf, pathsOf, readInput, write, writeOutput, writeReceipt } from './files.ts';
import type { MakeCommand } from './parsedCommand.ts';
import { progressOf } from './progressView.ts';
import { choiceLines, requestOf } from './roles.ts';
import { estimateLine, type ShownReceipt, showColumns, showEstimate, showResult } from './tables.ts';

/** Throws CliError, ServiceError, JobError, or the signal's reason. */
export async function makeHere(command: MakeCommand, signal: AbortSignal, log: Log): Promise<void> {
  if (!command.inspect && !command.estimate) await expectWritable(pathsOf(command));
  const file = await readInput(command.input);
  if (file.size > UPLOAD.maxBytes) throw new ServiceError({ reason: 'file_too_large', max_bytes: UPLOAD.maxBytes });
  const found = await inspect(file, { signal, encoding: command.encoding });
  const columns = tableReport(found);
  if (command.inspect) return showColumns(columns, command);
  const request = requestOf(columns, command);
  const estimate = found.estimate(request);
  if (command.estimate) return showEstimate(estimate, command);
  if (!command.quiet && !command.json) {
    for (const line of [...choiceLines(columns, request, command), estimateLine(estimate, command)])
      write(process.stderr, line);
  }
  const { made, progress } = await followed(file, request, command, signal, log);
  const receipt = await writeFiles(made, file, command, signal);
  showResult({ job_id: null, metrics: made.metrics, progress, receipt }, request, command);
}

async function followed(
  file: File,
  request: TableRequestBody,
  command: MakeCommand,
  signal: AbortSignal,
  log: Log,
): Promise<{ made: SyntheticTable; progress: string[] }> {
  const progress: string[] = [];
  const view = progressOf(command, process.stderr);
  const onEvent = (event: JobEvent): void => {
    progress.push(entryText(event, 'cli'));
    view.say(event);
    log.info(event.fact, { stage: event.stage, seconds: event.seconds });
  };
  try {
    return {
      made: await synthesize(file, request, { signal, onEvent, encoding: command.encoding, openText: openText() }),
      progress,
    };
  } finally {
    view.end();
  }
}

/** Like a job of a local service. */
function openText() {
  const environment = { [ENV.textBase]: cacheFolder('text-base'), ...process.env };
  return textOpener(textSettings(z.object(textEnvironment).parse(environment)));
}

async function writeFiles(
  made: SyntheticTable,
  file: File,
  { report, reportForSharing, receipt, output }: MakeCommand,
  signal: AbortSignal,
): Promise<ShownReceipt | undefined> {
  if (report !== null) await writeOutput(pageOf(await made.report()), report);
  if (reportForSharing !== null) await writeOutput(pageOf(await made.reportForSharing()), reportForSharing);
  const shown = receipt === null ? undefined : await writeOwnReceipt(made, file, receipt);
  await writeOutput(until(signal, await tableIn(formatOf(output), made)), output);
  return shown;
}

/** Throws the signal's reason between pieces. */
async function* until(signal: AbortSignal, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    signal.throwIfAborted();
    yield piece;
  }
}

function pageOf(drawn: { html: string } | null): AsyncIterable<Uint8Array> {
  if (!drawn) throw new CliError(EXIT.output, 'No report could be made for this table.');
  return new Blob([drawn.html]).stream();
}

/** Throws ServiceError `invalid_parameter` if the table is too large. */
async function tableIn(name: ReturnType<typeof formatOf>, made: SyntheticTable): Promise<AsyncIterable<Uint8Array>> {
  if (name === 'csv') return made.csv();
  const format = OUTPUT_FORMATS[name];
  if (!format.typed) return format.convert(made.csv());
  const { target_col, continuous_cols } = made.request;
  const types = await findCellTypes(
    made.csv(),
    new Set([...continuous_cols, ...(target_col === null ? [] : [target_col])]),
  );
  const why = format.refuse?.(types);
  if (why !== undefined) throw new ServiceError(why, { field: 'format' });
  return format.convert(made.csv(), types);
}

// The key exists for this run only, so the receipt proves integrity but not origin.

const manifestSchema = z.record(z.string(), z.json());

const SALT_BYTES = 32;

async function writeOwnReceipt(made: SyntheticTable, file: File, path: string): Promise<ShownReceipt> {
  const salt = randomBytes(SALT_BYTES);
  const receipt = await receiptOf(made, { name: file.name, commitment: (await hashOf(file.stream(), salt)).sha256 });
  await writeReceipt(receipt, path);
  return { key_id: receipt.signature.key_id, input_salt: salt.toString('hex') };
}

async function receiptOf({ csv, metrics, request }: SyntheticTable, input: Manifest['input']): Promise<Receipt> {
  const [rows, columns] = [metrics.rows_generated, metrics.columns];
  const manifest: Manifest = {
    format: 'synthetic-tables-receipt/2',
    job_id: randomBytes(16).toString('hex'),
    made_at: new Date().toISOString(),
    input,
    output: { name: RESULT_FILE_NAME, ...(await hashOf(csv())), rows, columns },
    request,
    software: softwareFacts(process.env[ENV.containerImage] || null),
    metrics: shareable(metrics),
  };
  const written = manifestSchema.parse(JSON.parse(JSON.stringify(manifest)));
  return signReceipt(
    written,
    createSigner(async () => keyOfSeed(makeSeed())),
  );
}
