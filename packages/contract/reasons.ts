/** Values of `error.code` in GET /status. */
export const JOB_ERROR_CODES = [
  'interrupted',
  'cancelled',
  'timeout',
  'out_of_memory',
  'crashed',
  'no_compute',
  'invalid_data',
  'unsafe_result',
  'storage_full',
  'storage_unavailable',
  'internal_error',
] as const;

/** Codes of failed jobs. */
export type JobErrorCode = (typeof JOB_ERROR_CODES)[number];

/** Kinds of params, typed in `problems.ts`; '?' allows null. */
export type ParamKind = 'text' | 'text?' | 'number' | 'number?' | 'texts' | 'faults' | 'breaches' | 'failure';

export type Shape = Readonly<Record<string, ParamKind>>;

/** Conditions refused before the job by the profile, or during it by the cells. */
const CONDITION_REASONS = {
  condition_range_of_levels: { column: 'text' },
  condition_number_for_level: { column: 'text', value: 'number' },
  condition_token_for_missing: { column: 'text', token: 'text' },
  condition_value_not_written: { column: 'text', value: 'text', number_form: 'text', example: 'text' },
  condition_range_empty: { column: 'text', low: 'text', high: 'text' },
  condition_number_for_time: { column: 'text', value: 'number', example: 'text' },
  condition_value_unreadable: { column: 'text', value: 'text', holds: 'text', example: 'text' },
  condition_column_without_format: { column: 'text' },
  condition_level_unknown: { column: 'text', level: 'text', near: 'texts', levels: 'texts' },
  condition_column_without_role: { column: 'text', near: 'texts' },
  conditions_contradict_on_column: { column: 'text' },
} as const;

const PRIVACY_REASONS = {
  privacy_without_domain: {},
  domain_without_privacy: {},
  domain_lacks_column: { column: 'text' },
  domain_of_other_column: { column: 'text' },
  domain_of_other_kind: { column: 'text', needs: 'text' },
  privacy_excludes_text: { column: 'text' },
  privacy_excludes_field: { name: 'text' },
  privacy_chooses_target: {},
  privacy_too_few_rows: { rows: 'number', min: 'number' },
  delta_too_large: { delta: 'number', max: 'number', rows: 'number' },
  privacy_releases_spent: { max: 'number' },
  upload_of_older_version: { job_id: 'text' },
  privacy_budget_spent: { epsilon: 'number', left: 'number', budget: 'number', releases: 'number' },
} as const;

export const REFUSALS = {
  unauthorized: { api_key_missing: {}, api_key_unknown: {} },
  missing_file: {
    upload_body_missing: {},
    upload_not_multipart: { content_type: 'text?' },
    upload_without_parts: {},
    upload_part_without_name: {},
    upload_without_file: { parts: 'texts' },
    upload_file_not_chosen: {},
    upload_file_in_other_part: { part: 'text' },
  },
  unsupported_file_type: {
    file_extension_unknown: { file_name: 'text', extension: 'text?', known: 'texts' },
    file_format_foreign: { format: 'text' },
  },
  empty_file: { file_has_no_bytes: {}, file_is_blank: {}, workbook_has_no_cells: { sheets: 'number' } },
  no_data_rows: { file_has_no_rows: { columns: 'number' }, sheet_has_no_rows: { sheet: 'text', columns: 'number' } },
  encoding_error: {
    bytes_not_decodable: { encoding: 'text', byte: 'text', offset: 'number', line: 'number', probably: 'text?' },
    nul_between_characters: { offset: 'number', line: 'number', probably: 'text' },
  },
  parse_error: {
    nul_byte: { offset: 'number', line: 'number' },
    quote_not_closed: { line: 'number' },
    text_after_quote: { line: 'number' },
    row_too_long: { line: 'number', max: 'number' },
    row_too_wide: { line: 'number', cells: 'number', columns: 'number' },
    too_many_columns: { columns: 'number', max: 'number' },
    workbook_too_many_parts: { parts: 'number', max: 'number' },
    workbook_unpacks_too_large: { max_mb: 'number' },
    workbook_packed_too_tightly: { part: 'text', ratio: 'number', max: 'number' },
    workbook_too_many_rows: { rows: 'number', max: 'number' },
    workbook_too_many_cells: { cells: 'number', max: 'number' },
    workbook_area_too_large: { rows: 'number', columns: 'number', max: 'number' },
    workbook_damaged: {},
    workbook_encrypted: {},
    reading_out_of_memory: { max_mb: 'number' },
    reading_out_of_time: { seconds: 'number' },
  },
  file_too_large: { file_too_large: { max_bytes: 'number' } },
  request_too_large: { body_too_large: { max_bytes: 'number' }, column_names_too_long: {} },
  headers_too_large: { headers_too_large: {} },
  request_timeout: { request_timeout: {} },
  invalid_request: {
    address_malformed: {},
    request_malformed: {},
    body_missing: {},
    body_not_object: { found: 'text' },
    body_compressed: {},
    body_not_utf8: {},
    body_not_json: { position: 'number?' },
    body_broken_off: {},
    client_gone: {},
    multipart_malformed: {},
    several_files: {},
    idempotency_key_malformed: {},
    mcp_message_refused: { answer: 'text' },
  },
  invalid_job: {
    job_id_missing: { found: 'text?' },
    job_unknown: { job_id: 'text' },
    upload_erased: { job_id: 'text', hours: 'number' },
    source_erased_meanwhile: { job_id: 'text' },
  },
  invalid_parameter: {
    fields_invalid: { faults: 'faults' },
    query_invalid: { faults: 'faults' },
    callback_url_too_long: { max: 'number' },
    callback_url_malformed: {},
    callback_url_not_https: {},
    callback_url_with_password: {},
    callback_url_not_public: {},
    column_given_twice: { column: 'text', first: 'text', second: 'text' },
    column_empty: { column: 'text', rows: 'number' },
    entity_col_missing: {},
    order_is_not_numeric: { column: 'text', numbers: 'number', cells: 'number' },
    entity_alone: { column: 'text' },
    column_not_numeric: { column: 'text', numbers: 'number', cells: 'number' },
    column_of_mixed_times: { column: 'text' },
    target_is_key: { column: 'text' },
    calibrate_without_target: {},
    target_is_time: { column: 'text' },
    target_without_numbers: { column: 'text', kind: 'text' },
    target_of_many_levels: { column: 'text', levels: 'number', max: 'number' },
    target_of_one_level: { column: 'text', min: 'number' },
    family_without_labels: { column: 'text', family: 'text', levels: 'number', instead: 'text' },
    family_cannot_hold: {
      column: 'text',
      family: 'text',
      support: 'text',
      instead: 'text',
      // Either `value` in `row`, or `cells` zeros among `values`; null if `found` suffices.
      found: 'text',
      value: 'number?',
      row: 'number?',
      cells: 'number?',
      values: 'number',
    },
    ...PRIVACY_REASONS,
    ...CONDITION_REASONS,
    conditions_contradict: { first_field: 'text', first: 'text', second_field: 'text', second: 'text' },
    conditions_exceed_rows: { rows: 'number', n_samples: 'number' },
    conditions_exceed_entities: { entities: 'number', n_entities: 'number' },
    condition_on_identifier: { column: 'text' },
    condition_on_text: { column: 'text' },
    condition_nothing_missing: { column: 'text', rows: 'number' },
    condition_level_too_rare: { column: 'text', level: 'text', min: 'number' },
    condition_out_of_range: { column: 'text', condition: 'text', low: 'text', high: 'text' },
    model_has_conditions: { job_id: 'text' },
    rows_fewer_than_parts: { job_id: 'text', min: 'number', found: 'number' },
    workbook_too_many_rows_to_write: { rows: 'number', max: 'number' },
    workbook_too_many_columns_to_write: { columns: 'number', max: 'number' },
    workbook_too_many_cells_to_write: { cells: 'number', max: 'number' },
    workbook_cell_too_long_to_write: { column: 'text', max: 'number' },
  },
  too_few_rows: {
    too_few_rows: { rows: 'number', min: 'number' },
    too_few_entities: { column: 'text', entities: 'number', min: 'number' },
  },
  missing_target: { no_roles_given: {}, target_not_given: {} },
  column_not_found: {
    column_unknown: { column: 'text', available: 'texts', more: 'number' },
    compared_column_missing: { column: 'text', available: 'texts', more: 'number' },
  },
  job_conflict: {
    job_active: { job_id: 'text', state: 'text' },
    job_already_done: { job_id: 'text' },
    job_being_started: { job_id: 'text' },
    job_changed: { job_id: 'text' },
    job_not_running: { job_id: 'text' },
    job_has_no_rows: { job_id: 'text', state: 'text' },
    compared_with_itself: { job_id: 'text' },
    sample_has_no_upload: { job_id: 'text', source_id: 'text' },
    sample_has_no_model: { job_id: 'text', source_id: 'text' },
    too_many_samples: { job_id: 'text', max: 'number' },
  },
  request_in_progress: { request_in_progress: { seconds: 'number' } },
  idempotency_key_reused: { idempotency_key_reused: {}, repeated_upload_erased: { job_id: 'text' } },
  capacity_exceeded: {
    slots_taken: { max: 'number', seconds: 'number' },
    key_slots_taken: { max: 'number', seconds: 'number' },
    others_wait: { waiting: 'number', seconds: 'number' },
    queue_full: { max: 'number', seconds: 'number' },
    key_queue_full: { max: 'number', seconds: 'number' },
    memory_short: { needed_mb: 'number', available_mb: 'number', seconds: 'number' },
    memory_never_enough: { needed_mb: 'number', total_mb: 'number' },
  },
  quota_exceeded: { too_many_jobs_kept: { max: 'number' }, uploads_too_large_together: { max_bytes: 'number' } },
  too_many_requests: {
    too_many_requests: { max: 'number', seconds: 'number' },
    too_many_wrong_keys: { seconds: 'number' },
  },
  not_found: { route_unknown: {}, bundle_not_offered: {} },
  no_result: {
    job_not_started: { job_id: 'text' },
    job_failed: { job_id: 'text', failure: 'failure' },
    job_not_done: { job_id: 'text', state: 'text' },
    result_erased: { hours: 'number' },
    model_not_kept: { job_id: 'text', hours: 'number' },
    report_not_for_sharing: { job_id: 'text' },
    report_for_sharing_missing: { job_id: 'text' },
  },
  result_altered: { manifest_altered: { job_id: 'text' } },
  release_not_allowed: { key_may_not_release: { job_id: 'text' } },
  withheld: { rows_withheld: { job_id: 'text', breaches: 'breaches' } },
  origin_refused: { origin_not_listed: { origin: 'text' } },
  method_not_allowed: {
    method_not_allowed: { method: 'text', allowed: 'texts' },
    mcp_stream_not_offered: { allowed: 'texts' },
    connect_not_possible: { allowed: 'texts' },
  },
  storage_full: { disk_full: {} },
  storage_unavailable: {
    data_folder_unavailable: {},
    stored_data_damaged: {},
    ledger_damaged: { ledger: 'text' },
    signing_key_invalid: { file: 'text' },
    secrets_key_invalid: { file: 'text' },
    records_missing: { file: 'text', setting: 'text' },
    signing_key_gone: { file: 'text' },
    records_unreachable: { seconds: 'number' },
    files_unreachable: { seconds: 'number' },
  },
  compute_unavailable: {
    compute_unreachable: { seconds: 'number' },
    process_not_started: { why: 'text', seconds: 'number' },
    uploads_only: {},
  },
  service_busy: { throttled: { seconds: 'number' } },
  internal_error: { unforeseen: { request_id: 'text' } },
} as const satisfies Record<string, Record<string, Shape>>;

/** Codes of refused requests. */
export type ErrorCode = keyof typeof REFUSALS;

export const FAILURES = {
  interrupted: { service_stopped: {}, machine_reclaimed: {}, job_lost: {}, job_not_submitted: {} },
  cancelled: { cancelled: {} },
  timeout: { time_limit: { seconds: 'number' } },
  out_of_memory: { memory_limit: {}, machine_too_small: { needed_mb: 'number', total_mb: 'number' } },
  crashed: { process_killed: {}, process_crashed: { how: 'text' }, thread_crashed: { work: 'text' } },
  no_compute: { no_machine: {}, engine_missing: { package: 'text' }, engine_not_started: { backend: 'text' } },
  invalid_data: {
    upload_erased_before_run: {},
    upload_altered: {},
    compared_table_erased: { job_id: 'text' },
    compared_table_lacks_column: { column: 'text', available: 'texts', more: 'number' },
    source_erased: {},
    model_erased: { job_id: 'text' },
    model_of_other_version: { job_id: 'text?' },
    column_without_values: { column: 'text' },
    column_without_numbers: { column: 'text', cells: 'number' },
    target_without_values: { column: 'text', rows: 'number' },
    // `outside` is null below MIN_COUNT, because others read messages and logs.
    family_without_support: { column: 'text', family: 'text', outside: 'number?', values: 'number', holds: 'text' },
    family_cannot_count: { column: 'text', family: 'text', max: 'number' },
    no_finite_density: { column: 'text', family: 'text' },
    entity_too_long: { column: 'text', rows: 'number', max: 'number' },
    condition_within_entities: { column: 'text' },
    entities_without_rows: { column: 'text', order: 'text?', rows: 'number' },
    ...CONDITION_REASONS,
    conditions_met_by_too_few: { conditions: 'text', min: 'number', rows: 'number' },
    conditions_leave_too_few: { conditions: 'text?' },
    conditions_hardly_drawn: { conditions: 'text?', rows: 'number', made: 'number', draws: 'number' },
  },
  unsafe_result: { real_keys_in_result: { column: 'text' } },
  storage_full: { job_disk_full: {} },
  storage_unavailable: { job_storage_unavailable: {} },
  internal_error: { job_fault: {} },
} as const satisfies Record<JobErrorCode, Record<string, Shape>>;

/** Problems of an entry point itself, such as no connection or local files. */
export const LOCAL_PROBLEMS = {
  connection_failed: { no_answer: { url: 'text', why: 'text' }, answer_lost: { url: 'text', why: 'text' } },
  unexpected_reply: { not_this_service: { url: 'text', status: 'number' } },
  file_error: { path_unreadable: { path: 'text', why: 'text' }, path_unwritable: { path: 'text', why: 'text' } },
  invalid_arguments: {
    tool_unknown: { tool: 'text', known: 'texts' },
    arguments_invalid: { tool: 'text', faults: 'faults', unknown: 'texts', known: 'texts' },
    no_such_columns: { columns: 'texts', known: 'texts' },
    figures_for_owner: { tool: 'text' },
  },
} as const satisfies Record<string, Record<string, Shape>>;

type ValueOf<T> = T[keyof T];
type Merged<T> = (T extends unknown ? (part: T) => void : never) extends (all: infer All) => void ? All : never;
type RefusalShapes = Merged<ValueOf<typeof REFUSALS>>;
type FailureShapes = Merged<ValueOf<typeof FAILURES>>;
export type Shapes = RefusalShapes & FailureShapes & Merged<ValueOf<typeof LOCAL_PROBLEMS>>;

export type RefusalReason = keyof RefusalShapes;
export type FailureReason = keyof FailureShapes;
export type Reason = keyof Shapes;
export type ConditionReason = keyof typeof CONDITION_REASONS;
