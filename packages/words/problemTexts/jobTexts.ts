import { MIN_COUNT, type ThreadWork } from '../../contract/problems.ts';
import { SUPPORTS } from '../familySupport.ts';
import { didYouMean as meant } from '../nearNames.ts';
import { breachText } from '../release.ts';
import { faultText, type Texts } from '../say.ts';
import { counted, listed, quoted, withCommas, wordsFor } from '../wording.ts';

const THREADS: Readonly<Record<ThreadWork, string>> = {
  sampling: 'sampled the regression',
  copula: 'fitted the copula of the continuous columns',
  trees: 'fitted the trees of the continuous columns',
  draws: 'drew the continuous columns',
  metrics: 'measured fidelity and utility',
};

/** Not shortened, so that the path works. */
const quotedPath = (path: string): string => JSON.stringify(path);

export const JOB_TEXTS = {
  job_id_missing: ({ found }, say) => `job_id must be the id ${say.whereJobIdIsFrom}; found ${found ?? 'nothing'}.`,
  job_unknown: ({ job_id }, say) =>
    `There is no job ${quoted(job_id)} for this API key. Use the job_id ${say.whereJobIdIsFrom}, with the key that uploaded it.`,
  source_erased_meanwhile: ({ job_id }, say) =>
    `Job ${job_id} was erased while rows were requested from it. ${say.newJob}.`,
  job_active: ({ job_id, state }, say) =>
    `This job is already ${state === 'started' ? 'starting' : state}. ${say.follow(job_id)}. To run it with other settings, ${say.upload}.`,
  job_already_done: ({ job_id }, say) =>
    `This job is already done. ${say.seeResult(job_id)}. To run it with other settings, ${say.upload}.`,
  job_being_started: ({ job_id }, say) => `Another request is already starting this job. ${say.follow(job_id)}.`,
  job_changed: ({ job_id }, say) => `The job was changed by another request. ${say.follow(job_id)}.`,
  job_not_running: ({ job_id }) => `Job ${job_id} is not running: there is nothing to cancel.`,
  job_has_no_rows: ({ job_id, state }, say) =>
    `Job ${job_id} is ${state} and has no rows to release. ${say.follow(job_id)}.`,
  compared_with_itself: ({ job_id }) =>
    `The request names the upload of job ${job_id} twice. Upload each table by itself, even where two are equal, and name its job.`,
  sample_has_no_upload: ({ job_id, source_id }, say) =>
    `Job ${job_id} has rows from the model of job ${source_id} and no upload of its own. ${say.sampleFrom(source_id)} for more rows.`,
  sample_has_no_model: ({ job_id, source_id }, say) =>
    `Job ${job_id} has rows from the model of job ${source_id} and no model of its own. ${say.sampleFrom(source_id)}.`,
  too_many_samples: ({ job_id, max }, say) => `Job ${job_id} has ${counted(max, 'sample')}, the limit. ${say.newJob}.`,
  slots_taken: ({ max, seconds }, say) =>
    `The service is full: ${counted(max, 'job')} ${max === 1 ? 'is' : 'are'} running, the limit. ${say.repeat} in ${seconds} seconds${say.orWait}.`,
  key_slots_taken: ({ max, seconds }, say) =>
    `This key has ${counted(max, 'running job')}, its limit. ${say.repeat} in ${counted(seconds, 'second')}${say.orWait}.`,
  others_wait: ({ waiting, seconds }, say) =>
    `The service is full: ${counted(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'} for a slot. ${say.repeat} in ${counted(seconds, 'second')}${say.orWait}.`,
  queue_full: ({ max, seconds }, say) =>
    `The queue is full: ${counted(max, 'job')} ${max === 1 ? 'waits' : 'wait'}, the limit. ${say.repeat} in ${counted(seconds, 'second')}.`,
  key_queue_full: ({ max, seconds }, say) =>
    `This key has ${counted(max, 'job')} in the queue, its limit. ${say.repeat} in ${counted(seconds, 'second')}, or cancel one that waits.`,
  memory_short: ({ needed_mb, available_mb, seconds }, say) =>
    `The job is estimated to need ${withCommas(needed_mb)} MB of memory, and ${withCommas(available_mb)} MB are available. ${say.repeat} in ${counted(seconds, 'second')} or when other jobs have ended, or ask for fewer rows, columns or draws.`,
  memory_never_enough: ({ needed_mb, total_mb }) =>
    `The job is estimated to need ${withCommas(needed_mb)} MB of memory, and the machine has ${withCommas(total_mb)} MB. Ask for fewer rows, columns or draws, or leave out columns with very many categories.`,
  too_many_jobs_kept: ({ max }, say) =>
    `You have reached the limit of ${counted(max, 'stored job')}. Delete one, or wait until one expires. ${say.repeat} then.`,
  uploads_too_large_together: ({ max_bytes }, say) =>
    `You have reached the limit of ${withCommas(max_bytes)} bytes of stored uploads. Delete jobs that you no longer need, or wait until they expire. ${say.repeat} then.`,
  process_not_started: ({ why, seconds }, say) =>
    `No process could be started for the job: ${why}. ${say.repeat} in ${seconds} seconds.`,
  too_many_requests: ({ max, seconds }, say) =>
    `${counted(max, 'request')} with this key ${max === 1 ? 'is' : 'are'} being answered, the limit. ${say.repeat} in ${counted(seconds, 'second')}.`,
  too_many_wrong_keys: ({ seconds }, say) =>
    `Too many requests with keys that are not valid have come from your address. ${say.repeat} in ${counted(seconds, 'second')}, with a valid key.`,
  job_not_started: ({ job_id }, say) => `Job ${job_id} has not been started. ${say.start}.`,
  job_not_done: ({ job_id, state }, say) =>
    `Job ${job_id} is ${state === 'started' ? 'starting' : state}. ${say.follow(job_id)}.`,
  result_erased: ({ hours }, say) =>
    `The result has been erased: results are kept for ${counted(hours, 'hour')}. ${say.newJob}.`,
  model_not_kept: ({ job_id, hours }, say) =>
    `The model${say.ofJob(job_id)} is not available: it was too large to keep, or has been erased (results are kept for ${counted(hours, 'hour')}). ${say.newJob}.`,
  report_not_for_sharing: ({ job_id }, say) =>
    `The report of job ${job_id} compares with real rows, and none for sharing exists: the table was made without ${say.field('privacy')}. ${say.newJob} and start it with ${say.field('privacy')} and ${say.field('domain')}, or use the report for the owner.`,
  report_for_sharing_missing: ({ job_id }, say) =>
    `Job ${job_id} was made by a version that wrote no report for sharing. ${say.sampleFrom(job_id)} for rows from the same measurements, which cost no privacy budget: that job has one.`,
  manifest_altered: ({ job_id }, say) =>
    `The stored manifest of job ${job_id} is not the one that the job wrote, so no receipt of it is signed. ${say.tellOperator}, or start a new job: ${say.upload}.`,
  key_may_not_release: ({ job_id }, say) =>
    `This API key may not release rows. Ask the operator, or somebody whose key may, ${say.toRelease(job_id)}.`,
  rows_withheld: ({ job_id, breaches }, say) =>
    [
      `The rows${say.ofJob(job_id)} are withheld by its release policy.`,
      ...breaches.map(breachText),
      `${say.release(job_id)}.`,
    ].join(' '),
  workbook_too_many_rows_to_write: ({ rows, max }, say) =>
    `The table has ${counted(rows, 'row')}, but a sheet has room for ${withCommas(max)}, the header included. ${say.otherFormat}.`,
  workbook_too_many_columns_to_write: ({ columns, max }, say) =>
    `The table has ${counted(columns, 'column')}, but a sheet has room for ${withCommas(max)}. ${say.otherFormat}.`,
  workbook_too_many_cells_to_write: ({ cells, max }, say) =>
    `The table has ${counted(cells, 'cell')}, but a workbook may have at most ${withCommas(max)}. ${say.otherFormat}.`,
  workbook_cell_too_long_to_write: ({ column, max }, say) =>
    `A cell of column ${quoted(column)} has more than ${withCommas(max)} characters, the limit of a workbook. ${say.otherFormat}.`,

  disk_full: (_, say) =>
    `The disk is full, and nothing of this request was saved. ${say.tellOperator}. ${say.repeat} when there is space.`,
  data_folder_unavailable: (_, say) =>
    `Cannot use the data folder${say.way === 'cli' ? ': set DATA_DIR to a folder that can be read and written' : ''}. ${say.tellOperator}. ${say.repeat} later.`,
  stored_data_damaged: (_, say) =>
    `What the service stored of this cannot be read: it was damaged, or changed from outside. ${say.tellOperator}.`,
  ledger_damaged: ({ ledger }, say) =>
    `The privacy ledger ${ledger} cannot be read, so it is not known how much of the budget of this table is left, and no private table of it can be started. ${say.tellOperator}, who can restore the ledger from a backup.`,
  signing_key_invalid: ({ file }) =>
    `The file ${file} in the data folder has no Ed25519 key. Restore the right one, or move the file away to have a new one created.`,
  secrets_key_invalid: ({ file }) =>
    `The file ${file} in the data folder is not the key by which the database is encrypted. Restore the right one.`,
  records_missing: ({ file, setting }) =>
    `The data folder has files of jobs (objects/) but no database (${file}). Restore the database from a backup. To start with a new one, without the keys and jobs of the old one, set ${setting}=yes: files that no job knows are erased after some days.`,
  signing_key_gone: ({ file }) => `The file ${file} in the data folder is missing. Restore it, or restart the service.`,
  records_unreachable: ({ seconds }, say) =>
    `The records of the service cannot be reached. ${say.repeat} in ${seconds} seconds.`,
  files_unreachable: ({ seconds }, say) =>
    `The files of the service cannot be reached. ${say.repeat} in ${seconds} seconds.`,
  compute_unreachable: ({ seconds }, say) => `No machine can be requested now. ${say.repeat} in ${seconds} seconds.`,
  uploads_only: () => 'This address takes uploads only. Send the request to the base URL of the service.',
  throttled: ({ seconds }, say) => `The service is overloaded. ${say.repeat} in ${seconds} seconds.`,
  unforeseen: ({ request_id }, say) =>
    `Something went wrong in the service, not in your request. ${say.repeat}; ${say.reportRequest(request_id)}.`,

  no_answer: ({ url, why }) => `${url} does not answer (${why}). Check the address and that the service is running.`,
  answer_lost: ({ url, why }, say) =>
    `${url} did not answer (${why}). The request may still have been carried out: ${say.lookFirst}.`,
  not_this_service: ({ url, status }) =>
    `The server at ${url} (status ${status}) is not this service. Check the address.`,

  path_unreadable: ({ path, why }) => `${quotedPath(path)} cannot be read: ${why}.`,
  path_unwritable: ({ path, why }) => `${quotedPath(path)} cannot be written: ${why}.`,

  tool_unknown: ({ tool, known }) =>
    `There is no tool ${quoted(tool)}.${meant(tool, known, quoted)} The tools are ${listed(known, known.length)}.`,
  arguments_invalid: ({ tool, faults, unknown, known }, say) =>
    [
      ...unknown.map((name) => `${tool} has no argument ${quoted(name)}.${meant(name, known, quoted)}`),
      ...faults.map(faultText(say)),
      ...(unknown.length > 0 ? [`Its arguments are ${listed(known, known.length)}.`] : []),
    ].join(' '),
  figures_for_owner: ({ tool }) =>
    `What ${tool} answers about this job follows from its real rows, and the job keeps differential privacy: it is for the owner of the file alone. If the user is the owner and allows you to see it, call ${tool} again with owner_figures: true.`,
  no_such_columns: ({ columns, known }) =>
    `There is no column ${listed(columns.map(quoted))}.${columns.map((name) => meant(name, known, quoted)).join('')} The columns are ${listed(known.map(quoted), 20)}.`,

  service_stopped: (_, say) =>
    `The service was stopped while the job ran. Nothing is wrong with the job. ${say.again}.`,
  machine_reclaimed: (_, say) =>
    `The machine was reclaimed every time the job ran. Nothing is wrong with the job. ${say.again}.`,
  job_lost: (_, say) => `The job was lost before a machine ran it. Nothing is wrong with the job. ${say.again}.`,
  job_not_submitted: (_, say) => `No process could be started for the job. ${say.again}.`,
  cancelled: (_, say) => `The job was cancelled. ${say.again} to run it.`,
  time_limit: ({ seconds }) =>
    `The job ran for ${counted(seconds, 'second')}, the limit, and was stopped. Ask for fewer rows, columns, draws or text epochs.`,
  memory_limit: () =>
    'The job needed more memory than it is allowed. Ask for fewer rows or columns, or leave out columns with very many categories.',
  machine_too_small: ({ needed_mb, total_mb }) =>
    `The job is estimated to need ${withCommas(needed_mb)} MB of memory, and the machine has ${withCommas(total_mb)} MB. Ask for fewer rows, columns or draws, or leave out columns with very many categories.`,
  process_killed: (_, say) =>
    `The system killed the process of the job, most often because memory ran out. ${say.again}, with fewer rows or columns.`,
  process_crashed: ({ how }, say) =>
    `The process of the job ended unexpectedly (${how}). ${say.again}. ${say.ifItRepeats}.`,
  thread_crashed: ({ work }, say) =>
    `A thread that ${wordsFor(THREADS, work) ?? work} crashed. ${say.again}. ${say.ifItRepeats}.`,
  engine_missing: ({ package: name }) =>
    `Text columns need the package ${name}, which is not installed. Leave them out, or install it where jobs run: ONNXRUNTIME_NODE_INSTALL=skip npm install ${name}.`,
  engine_not_started: ({ backend }, say) =>
    `The engine of text models, TENSOR_BACKEND=${backend}, does not start on the machine that ran the job. ${say.tellOperator}.`,
  no_machine: (_, say) => `No machine was available for the job. ${say.again} later. ${say.ifItRepeats}.`,
  upload_erased_before_run: (_, say) => `The upload has been erased. ${say.newJob}.`,
  upload_altered: (_, say) =>
    `The stored upload is not the file that came: its size or SHA-256 differs. ${say.newJob}.`,
  compared_table_erased: ({ job_id }, say) =>
    `The upload of job ${job_id}, which the table was to be compared with, has been erased. ${say.newJob}.`,
  compared_table_lacks_column: ({ column, available, more }, say) =>
    `One of the tables has no column ${quoted(column)}, which the real one has. Its columns: ${available.join(', ')}${more > 0 ? ` and ${withCommas(more)} more` : ''}. Rename the columns to match, or exclude the missing ones${say.way === 'cli' ? ' with --ignore' : ''}. ${say.again} then.`,
  source_erased: (_, say) => `The job that the model belongs to has been erased. ${say.newJob}.`,
  model_erased: ({ job_id }, say) => `The model${say.ofJob(job_id)} has been erased. ${say.newJob}.`,
  model_of_other_version: ({ job_id }, say) =>
    `The model${job_id === null ? '' : say.ofJob(job_id)} was saved by another version. ${say.newJob}.`,
  entity_too_long: ({ column, rows, max }, say) =>
    `One value of ${quoted(column)} has ${counted(rows, 'row')}, and an entity has at most ${withCommas(max)}. Cut such entities into parts with keys of their own, such as one for each year. ${say.again} then.`,
  condition_within_entities: ({ column }, say) =>
    `Column ${quoted(column)} changes from row to row of an entity; conditions are possible on columns that are constant within entities. ${say.again} without the condition.`,
  entities_without_rows: ({ column, order, rows }, say) =>
    `More than half of the ${counted(rows, 'row')} have no cell in ${quoted(column)}${order === null ? '' : ` or in ${quoted(order)}`}, so it is not known where they belong. Choose another column, or leave ${say.field('entity_col')} out.`,
  column_without_values: ({ column }, say) =>
    `Column ${quoted(column)} has no values: every cell is missing. ${say.again} without it.`,
  column_without_numbers: ({ column, cells }, say) =>
    `Column ${quoted(column)} has no numbers: none of its ${counted(cells, 'non-empty cell')} is one. ${say.again} with it in ${say.field('categorical_cols')} or ${say.field('text_cols')}.`,
  target_without_values: ({ column, rows }) =>
    `The target ${quoted(column)} has no number in any of its ${counted(rows, 'row')}. Choose another target.`,
  family_without_support: ({ column, family, outside, values, holds }, say) =>
    `${outside === null ? `Fewer than ${MIN_COUNT}` : withCommas(outside)} of the ${counted(values, 'value')} of the target ${quoted(column)} cannot come from the family ${family}, which takes ${wordsFor(SUPPORTS, holds) ?? holds}. ${say.again} with ${say.option('family', 'auto')} or one that fits the column.`,
  family_cannot_count: ({ column, family, max }, say) =>
    `The target ${quoted(column)} has a number above ${max}, to which the family ${family} counts at most. ${say.again} with ${say.option('family', 'auto')}.`,
  no_finite_density: ({ column, family }, say) =>
    `The regression of ${quoted(column)} with the family ${family} found no starting point with a finite density. Look for values that overflow, such as 1e300, or try ${say.option('family', 'auto')}.`,
  real_keys_in_result: ({ column }, say) =>
    `A key in column ${quoted(column)} of the result equalled a real one, so no file was written. ${say.again} with another seed, or without the column. ${say.ifItRepeats}.`,
  job_disk_full: (_, say) =>
    `The disk is full, and the job could not write its result. ${say.again} when there is space.`,
  job_storage_unavailable: (_, say) =>
    `The job could not read or write the data folder. ${say.tellOperator}. ${say.again} later.`,
  job_fault: (_, say) => `The job failed because of a fault in the program, not in your request. ${say.reportJob}.`,
} satisfies Partial<Texts>;
