import type { JsonKind } from '../../contract/problems.ts';
import { SUPPORTS, violationText } from '../familySupport.ts';
import { faultText, type Texts } from '../say.ts';
import { counted, listed, quoted, withCommas, wordsFor } from '../wording.ts';

const EXAMPLE_BODY = 'Send a JSON object, as in {"job_id": "…"}.';

const JSON_KINDS: Readonly<Record<JsonKind, string>> = {
  null: 'null',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
};

const didYouMean = (near: readonly string[]): string =>
  near.length > 0 ? ` Did you mean ${near.map(quoted).join(' or ')}?` : '';

export const REQUEST_TEXTS = {
  api_key_missing: () => 'The request has no API key. Send it in the header X-API-Key.',
  api_key_unknown: (_, say) => `The API key is not valid or was revoked. ${say.newKey}.`,
  route_unknown: () => 'There is nothing at this address. GET /api-docs lists all calls.',
  bundle_not_offered: () => 'This service offers no bundle for desktop assistants. GET /mcp shows how to connect.',
  method_not_allowed: ({ method, allowed }) =>
    `${method} is not allowed here. This address accepts ${allowed.join(', ')}.`,
  connect_not_possible: () => 'CONNECT is not supported: this is not a proxy.',
  mcp_stream_not_offered: () =>
    'GET /mcp has no event stream: each POST /mcp has its own. Request text/html to read how to connect.',
  mcp_message_refused: ({ answer }) => `This is not a valid MCP message: ${answer}`,
  origin_not_listed: ({ origin }) =>
    `Pages of ${quoted(origin)} may not call this service. Its operator can list the origin in CORS_ORIGINS.`,
  address_malformed: () => 'The address or the Host header of the request is malformed.',
  request_malformed: () => 'The request is not well-formed HTTP/1.1.',
  request_timeout: (_, say) => `The request did not arrive in time. ${say.repeat}.`,
  headers_too_large: () =>
    'The headers are larger than 64 KB in total, or there are more than 1,000. Send fewer or shorter ones.',
  body_missing: () => 'The request has no body. Send a JSON object.',
  body_not_object: ({ found }) => `The body is ${wordsFor(JSON_KINDS, found) ?? found}. ${EXAMPLE_BODY}`,
  body_compressed: () => 'The body is compressed (Content-Encoding). Send it uncompressed.',
  body_not_utf8: () => 'The body is not UTF-8 text. Send JSON in UTF-8.',
  body_not_json: ({ position }) =>
    `The body is not valid JSON${position === null ? '' : `; the error is at character ${position}`}. ${EXAMPLE_BODY}`,
  client_gone: (_, say) => `The client closed the connection before it was answered. ${say.repeat}.`,
  body_broken_off: (_, say) => `The request ended before its body was complete. ${say.repeat}.`,
  body_too_large: ({ max_bytes }) =>
    `The body is larger than ${withCommas(max_bytes)} bytes, the limit of a JSON request.`,
  column_names_too_long: (_, say) =>
    `The column names in the request are too long in total. Leave columns out, or shorten their names in the file and ${say.giveAgain}.`,
  idempotency_key_malformed: () =>
    'Idempotency-Key must have 1 to 200 visible ASCII characters. Send a random one, such as a UUID, for each new request.',
  idempotency_key_reused: () =>
    'This Idempotency-Key was used for another request within the last 24 hours. Send this request with a new key, or repeat the first request unchanged to get its answer.',
  repeated_upload_erased: ({ job_id }) =>
    `This Idempotency-Key created job ${job_id}, whose upload has been erased since. Send the file with a new key for a new job.`,
  request_in_progress: ({ seconds }) =>
    `The first request with this Idempotency-Key is still running. Send the same request again in ${seconds} seconds for its answer.`,

  fields_invalid: ({ faults }, say) => faults.map(faultText(say)).join(' '),
  query_invalid: ({ faults }, say) =>
    `${faults.map(faultText(say)).join(' ')}${say.way === 'http' ? ' GET /api-docs lists the query parameters.' : ''}`,
  too_few_rows: ({ rows, min }, say) =>
    `The table has ${counted(rows, 'row')}: a synthetic copy of fewer than ${min} may show nearly each of them. ${say.give} a table with more rows, or use ${say.option('allow_few_rows', 'true')}; ${say.thenWithheld}.`,
  too_few_entities: ({ column, entities, min }, say) =>
    `Column ${quoted(column)} names ${counted(entities, 'entity', 'entities')}: a synthetic copy of fewer than ${min} may show nearly each of them. ${say.give} a table of more, or use ${say.option('allow_few_rows', 'true')}; ${say.thenWithheld}.`,
  entity_alone: ({ column }, say) =>
    `Column ${quoted(column)} has one value in all rows, so they belong to one entity, which a synthetic copy would show. ${say.give} a table with more entities, or leave ${say.field('entity_col')} out to make its rows one by one.`,
  entity_col_missing: (_, say) =>
    `${say.field('order_col')} and ${say.field('n_entities')} are of a table with ${say.field('entity_col')}: name the column whose values say which rows belong together, or leave them out.`,
  order_is_not_numeric: ({ column, numbers, cells }, say) =>
    `Column ${quoted(column)} is no order: ${withCommas(numbers)} of its ${counted(cells, 'non-empty cell')} are numbers, and it has no dates or times of one format. Choose a column of numbers, dates or times, or leave ${say.field('order_col')} out to take the order of the file.`,
  no_roles_given: (_, say) =>
    `The request names no target and no text column. Give a column of numbers or of a few categories as ${say.field('target_col')}, or text columns as ${say.field('text_cols')}; or make a table of the other columns alone with ${say.option('target', 'none')}.`,
  target_not_given: (_, say) => `${say.field('target_col')} is missing. Name the column whose family you want to know.`,
  column_unknown: ({ column, available, more }) =>
    `There is no column ${quoted(column)} in the file. Available columns: ${available.join(', ')}${more > 0 ? ` and ${withCommas(more)} more` : ''}.`,
  compared_column_missing: ({ column, available, more }, say) =>
    `One of the other tables has no column ${quoted(column)}, which the real one has. Its columns: ${available.join(', ')}${more > 0 ? ` and ${withCommas(more)} more` : ''}. Rename the columns to match, or exclude the missing ones${say.way === 'cli' ? ' with --ignore' : ''}.`,
  column_given_twice: ({ column, first, second }, say) =>
    `Column ${quoted(column)} is listed ${first === second ? `twice in ${say.field(first)}` : `in ${say.field(first)} and in ${say.field(second)}`}. Give each column one role.`,
  column_empty: ({ column, rows }) =>
    `Column ${quoted(column)} is empty: all of its ${counted(rows, 'cell')} are missing. Leave it out.`,
  column_not_numeric: ({ column, numbers, cells }) =>
    `Column ${quoted(column)} is not numeric: ${withCommas(numbers)} of its ${counted(cells, 'non-empty cell')} are numbers. Choose a numeric column, or make this one categorical or text.`,
  column_of_mixed_times: ({ column }, say) =>
    `Column ${quoted(column)} has dates or times in more than one format. Write all of them in one format, such as 2024-03-20, or put the column in ${say.field('categorical_cols')}.`,
  calibrate_without_target: (_, say) =>
    `There is no target, so nothing is calibrated. Name one (${say.field('target_col')}), or leave ${say.field('calibrate')} out.`,
  target_is_key: ({ column }) =>
    `Column ${quoted(column)} has keys, for which new values are generated, and cannot be a target. Choose a column of numbers, or of a few categories.`,
  target_is_time: ({ column }, say) =>
    `Column ${quoted(column)} has dates or times, and a target must have numbers or a few categories. Choose another column as the target; put this one in ${say.field('continuous_cols')} to model it as time, or in ${say.field('categorical_cols')}.`,
  target_without_numbers: ({ column, kind }) =>
    `Column ${quoted(column)} has no numbers (it was read as ${kind}) and cannot be a target. Choose a column of numbers, or of a few categories.`,
  target_of_many_levels: ({ column, levels, max }, say) =>
    `Column ${quoted(column)} has ${counted(levels, 'level')}, and a target of categories has at most ${max}. Put it in ${say.field('categorical_cols')} instead, or merge its rare levels.`,
  target_of_one_level: ({ column, min }, say) =>
    `Column ${quoted(column)} has fewer than two levels of ${counted(min, 'row')} or more, so there is nothing to predict. Put it in ${say.field('categorical_cols')} instead${min > 1 ? `, or keep its rare levels with ${say.option('keep_rare', 'true')}` : ''}.`,
  family_without_labels: ({ column, family, levels, instead }, say) =>
    `${family === 'bernoulli' ? `The family bernoulli takes two levels, but column ${quoted(column)} has ${withCommas(levels)}` : `The family ${family} takes numbers, but column ${quoted(column)} has categories`}. Choose ${say.option('family', instead)} or ${say.option('family', 'auto')}.`,
  family_cannot_hold: ({ column, family, support, instead, ...violation }, say) =>
    `The family ${family} takes ${SUPPORTS[support] ?? 'other numbers'}, but column ${quoted(column)} has ${violationText(violation)}. Choose ${say.option('family', instead)}, which can take every value of the column, or ${say.option('family', 'auto')}.`,
  callback_url_too_long: ({ max }) => `The address must have at most ${withCommas(max)} characters.`,
  callback_url_malformed: () => 'This must be an address such as https://example.org/hooks/tables.',
  callback_url_not_https: () => 'The address must begin with https://.',
  callback_url_with_password: () =>
    'The address must not contain a user name or password. Calls are signed instead: GET /callback-secret has the secret.',
  callback_url_not_public: () =>
    'The address must be on the public internet, not in a private network or on this machine.',

  privacy_without_domain: (_, say) =>
    `A private table needs to know beforehand what cells may be. Give ${say.field('domain')} with an entry for each column, such as {"age": {"min": 17, "max": 90}, "sex": {"levels": ["Female", "Male"]}}.`,
  domain_without_privacy: (_, say) =>
    `This is used by private tables alone. Give ${say.field('privacy')}, too, or leave it out.`,
  domain_lacks_column: ({ column }) =>
    `Column ${quoted(column)} is missing here. Add {"levels": […]} for categories or {"min": …, "max": …} for numbers, or take the column out of its role.`,
  domain_of_other_column: ({ column }) =>
    `The request gives column ${quoted(column)} no role. Add it to a list of columns, or leave it out here.`,
  domain_of_other_kind: ({ column, needs }, say) =>
    needs === 'levels'
      ? `Column ${quoted(column)} is in ${say.field('categorical_cols')}, so its entry must be {"levels": […]}. Or put it in ${say.field('continuous_cols')}.`
      : `Column ${quoted(column)} is in ${say.field('continuous_cols')}, so its entry must be {"min": …, "max": …}. Or put it in ${say.field('categorical_cols')}.`,
  privacy_excludes_text: ({ column }) =>
    `Column ${quoted(column)} is text, which cannot be made privately. Leave it out.`,
  privacy_excludes_field: ({ name }, say) =>
    `${say.field(name)} would read the real rows beyond the budget, so it cannot be used together with ${say.field('privacy')}. Leave it out.`,
  privacy_chooses_target: (_, say) =>
    `Choosing a target reads the real rows. Name it with ${say.field('target_col')}, or leave this out.`,
  // Assistants must not learn the row count of a private table.
  privacy_too_few_rows: ({ rows, min }, say) =>
    `The table has ${say.way === 'mcp' ? 'too few rows' : counted(rows, 'row')}: of fewer than ${min}, noise that hides one row hides everything. ${say.give} a table with more rows.`,
  delta_too_large: ({ delta, max, rows }, say) =>
    `The δ of ${delta} is above 1 / rows${say.way === 'mcp' ? '' : `, which is ${max.toPrecision(2)} for ${counted(rows, 'row')}`}: it would allow whole rows to be released. Choose a smaller one, such as 1e-6.`,
  privacy_budget_spent: ({ epsilon, left, budget, releases }) =>
    `All private tables that you make of this table have ε ${budget} together, of which ${counted(releases, 'earlier one')} left ${left} at the δ of this request: ε ${epsilon} is too much. ${left > 0 ? 'Ask for less' : 'No further one can be made'}; more rows of an earlier one cost nothing.`,
  privacy_releases_spent: ({ max }) =>
    `You have made ${counted(max, 'private table')} of this table, the limit. More rows of an earlier one cost nothing.`,
  upload_of_older_version: (_, say) =>
    `This file was uploaded to an earlier version of the service, which did not compute what the privacy ledger knows a table by. For a private table, ${say.upload}.`,

  condition_range_of_levels: ({ column }) =>
    `Column ${quoted(column)} is categorical, so "between" is not possible. List its levels with "in".`,
  condition_number_for_level: ({ column, value }) =>
    `The levels of column ${quoted(column)} are texts. Write ${quoted(String(value))} instead of ${value}.`,
  condition_token_for_missing: ({ column, token }) =>
    `In column ${quoted(column)}, ${quoted(token)} stands for a missing value. Use null to ask for it.`,
  condition_value_not_written: ({ column, value, number_form, example }) =>
    `Column ${quoted(column)} cannot hold ${value}: ${number_form === 'whole' ? 'its numbers are whole' : `its numbers are written like ${example}`}.`,
  condition_range_empty: ({ column, low, high }) =>
    `Column ${quoted(column)} has no number between ${low} and ${high}.`,
  condition_number_for_time: ({ column, value, example }) =>
    `Column ${quoted(column)} has times, and ${value} is a number. Write times as the column does, such as ${example}.`,
  condition_value_unreadable: ({ column, value, holds, example }) =>
    `Column ${quoted(column)} has ${holds}, and ${quoted(value)} is not one. Write it like ${example}.`,
  condition_column_without_format: ({ column }) =>
    `Column ${quoted(column)} has no levels and no numbers to choose from.`,
  condition_level_unknown: ({ column, level, near, levels }) =>
    `No cell of column ${quoted(column)} is ${quoted(level)}.${levels.length > 0 && near.length === 0 ? ` Its levels are ${listed(levels.map(quoted))}.` : `${didYouMean(near)} Levels must match exactly, including case, spaces and Unicode form.`}`,
  condition_column_without_role: ({ column, near }, say) =>
    `Column ${quoted(column)} has no role in the request.${didYouMean(near)} Put it in ${say.field('categorical_cols')} or ${say.field('continuous_cols')}, or leave the condition out.`,
  conditions_contradict_on_column: ({ column }) =>
    `Two conditions on column ${quoted(column)} contradict each other. Leave one out.`,
  conditions_contradict: ({ first_field, first, second_field, second }) =>
    `${first_field} (${first}) and ${second_field} (${second}) contradict each other: no row can meet both. Give each its number of rows, or leave one out; a condition without rows holds in every row.`,
  conditions_exceed_rows: ({ rows, n_samples }, say) =>
    `The conditions ask for ${counted(rows, 'row')} in total, but the table will have ${withCommas(n_samples)}. Raise ${say.field('n_samples')} to ${rows}, or ask for fewer rows.`,
  conditions_exceed_entities: ({ entities, n_entities }, say) =>
    `The conditions ask for ${counted(entities, 'entity', 'entities')} in total, but the table will have ${withCommas(n_entities)}. Raise ${say.field('n_entities')} to ${entities}, or ask for fewer.`,
  condition_on_identifier: ({ column }) =>
    `Column ${quoted(column)} has identifiers, for which new values are generated. Leave the condition out.`,
  condition_on_text: ({ column }, say) =>
    `Column ${quoted(column)} is in ${say.field('text_cols')}; conditions are possible on the target, continuous and categorical columns. Leave the condition out.`,
  condition_nothing_missing: ({ column, rows }) =>
    `Column ${quoted(column)} has no missing cell in its ${counted(rows, 'row')}, so none can be asked for. Leave null out.`,
  condition_level_too_rare: ({ column, level, min }, say) =>
    `${quoted(level)} occurs in fewer than ${min} rows of column ${quoted(column)}, and such categories are not released. Use ${say.option('keep_rare', 'true')} to release them, or leave the condition out.`,
  condition_out_of_range: ({ column, condition, low, high }) =>
    `${condition} lies outside the range of ${quoted(column)}${low === '' ? '' : `, ${low} to ${high}`}. Values outside it are never generated. Ask for values within it.`,
  conditions_met_by_too_few: ({ conditions, min, rows }) =>
    `Fewer than ${min} of the ${counted(rows, 'row')} of the file have ${conditions}; as many are needed to generate rows like them without copying. Widen the condition, or leave it out.`,
  conditions_leave_too_few: ({ conditions }, say) =>
    `Too few rows of the file have ${conditions ?? 'categories that may be released'}. Widen the condition, leave it out, or use ${say.option('keep_rare', 'true')}.`,
  conditions_hardly_drawn: ({ conditions, rows, made, draws }) =>
    `Only ${withCommas(made)} of ${counted(rows, 'row')} with ${conditions ?? 'the conditions'} could be generated in ${counted(draws, 'draw')}. ${made > 0 ? `Ask for at most ${counted(made, 'row')}, widen` : 'Widen'} the condition, or leave it out.`,
  model_has_conditions: ({ job_id }, say) =>
    `The model${say.ofJob(job_id)} was fitted under conditions of its own and cannot take others. Leave them out, or start a new job.`,
  rows_fewer_than_parts: ({ min, found }) =>
    `Each condition of the job needs at least one row. Ask for ${counted(min, 'row')} or more; found ${found}.`,
} satisfies Partial<Texts>;
