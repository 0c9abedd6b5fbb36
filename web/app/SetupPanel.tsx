/** Between upload and start: columns, roles, options. */
import { useId, useState } from 'preact/hooks';
import { readConditions } from '../logic/conditions.ts';
import type { PageData } from '../logic/contract.ts';
import { callbackFault, faultOf, firstOptions, NUMBER_OPTIONS, optionFields, withPlan } from '../logic/options.ts';
import { fieldsOf, namesWith, suggestedRoles, targetOf, whyNotYet } from '../logic/roles.ts';
import { counted } from '../logic/words.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { ColumnList } from './ColumnList.tsx';
import { EstimatePanel } from './EstimatePanel.tsx';
import { FamilyPanel } from './FamilyPanel.tsx';
import type { Upload } from './memory.ts';
import { OptionsPanel } from './OptionsPanel.tsx';
import { Problem } from './Problem.tsx';
import { useHeadingFocus } from './useHeadingFocus.ts';

interface Props {
  api: Api;
  data: PageData;
  upload: Upload;
  onStarted(): void;
}

/** "family: gaussian holds …" speaks of one field. */
function fieldIn(error: ApiError | undefined): { field: string; message: string } | undefined {
  const [, field] = /^`?(\w+)`?:? /.exec(error?.message ?? '') ?? [];
  return error && field ? { field, message: error.message } : undefined;
}

export function SetupPanel({ api, data, upload: { reply: upload, file }, onStarted }: Props) {
  const { columns, relations } = upload.profile;
  const [roles, setRoles] = useState(() => suggestedRoles(columns));
  const [options, setOptions] = useState(() => firstOptions(data));
  const [error, setError] = useState<ApiError>();
  const [isStarting, setStarting] = useState(false);
  const heading = useHeadingFocus();
  const id = useId();
  const target = targetOf(roles);
  const hasText = namesWith(roles, 'text').length > 0;
  const missing = whyNotYet(roles);
  const fault =
    NUMBER_OPTIONS.some((name) => faultOf(name, options.numbers[name], data) !== undefined) ||
    readConditions(options.conditions) === undefined ||
    callbackFault(options.callback) !== undefined;

  const chosen = () => optionFields(options, { target: target !== undefined, text: hasText });
  const request =
    missing === undefined && !fault ? { job_id: upload.job_id, ...fieldsOf(roles), ...chosen() } : undefined;

  const start = async () => {
    if (request === undefined) return;
    setStarting(true);
    setError(undefined);
    try {
      const callback_url = options.callback.trim();
      await api.generate({ ...request, ...(callback_url !== '' && { callback_url }) });
      onStarted();
    } catch (caught) {
      setError(asApiError(caught));
      setStarting(false);
    }
  };
  return (
    <>
      <section class="card" aria-labelledby={`${id}-columns`}>
        <h2 id={`${id}-columns`} ref={heading} tabIndex={-1}>
          {file?.name ?? 'Your table'}: {counted(upload.n_rows, 'row')}, {counted(columns.length, 'column')}
        </h2>
        {upload.warnings.length > 0 && <Warnings texts={upload.warnings} />}
        {relations.length > 0 && (
          <details>
            <summary>
              {counted(relations.length, 'relation')} between columns that the synthetic table will keep
            </summary>
            <ul>
              {relations.map(({ sentence }) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          </details>
        )}
        <ColumnList columns={columns} rows={upload.n_rows} roles={roles} onRoles={setRoles} />
        {target !== undefined && <FamilyPanel api={api} jobId={upload.job_id} target={target} />}
      </section>
      <section class="card" aria-labelledby={`${id}-options`}>
        <h2 id={`${id}-options`}>Options</h2>
        <OptionsPanel
          data={data}
          options={options}
          hasTarget={target !== undefined}
          hasText={hasText}
          refused={fieldIn(error)}
          onOptions={setOptions}
        />
        <div class="line">
          <button
            type="button"
            class="primary"
            disabled={isStarting || request === undefined}
            aria-describedby={`${id}-why`}
            onClick={start}
          >
            {isStarting ? 'Starting…' : 'Make the table'}
          </button>
          <span id={`${id}-why`} class="soft">
            {missing ?? (fault ? 'An option above has to be mended first.' : '')}
          </span>
        </div>
        <Problem error={error} />
        {/* Below the button: an answer that came above it would move it away under the pointer. */}
        <EstimatePanel api={api} request={request} onPlan={(fields) => setOptions(withPlan(options, fields))} />
      </section>
    </>
  );
}

function Warnings({ texts }: { texts: readonly string[] }) {
  return (
    <details class="note warn" open={texts.length <= 5}>
      <summary>{counted(texts.length, 'thing')} to know about this file</summary>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}
