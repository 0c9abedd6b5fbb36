import { useId, useState } from 'preact/hooks';
import { roleFields, type SyntheticTables, suggestedRoles } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import type { GenerateRequestBody } from '../../packages/contract/requests.ts';
import { rolesBeside } from '../../packages/contract/roles.ts';
import { counted } from '../../packages/words/wording.ts';
import { changed, changeWords, setupOf } from '../logic/again.ts';
import type { PageData } from '../logic/contract.ts';
import { firstOptions, hasFault, optionFields, withPlan, withSuggested } from '../logic/options.ts';
import { foundWords, namesWith, targetOf, whyNotYet } from '../logic/roles.ts';
import type { Earlier } from '../logic/route.ts';
import { AdvancedPanel } from './AdvancedPanel.tsx';
import { ColumnsPanel } from './ColumnsPanel.tsx';
import { EntityFields } from './EntityFields.tsx';
import { EstimatePanel, useEstimate } from './EstimatePanel.tsx';
import { FamilyPanel } from './FamilyPanel.tsx';
import { NumberField, TickField } from './Fields.tsx';
import type { Upload } from './memory.ts';
import { StartBar } from './StartBar.tsx';
import { type PageProblem, problemOf, saidOf } from './service.ts';
import { ViewHeading } from './ViewHeading.tsx';

interface Props {
  service: SyntheticTables;
  data: PageData;
  upload: Upload;
  table: string | undefined;
  /** Earlier request whose roles and options are kept. */
  request: StatusReply['request'];
  earlier: Earlier | undefined;
  failure: PageProblem | undefined;
  onStarted(): void;
}

export function SetupPanel({ service, data, upload: { reply: upload }, table, ...props }: Props) {
  const { request: before, earlier, failure, onStarted } = props;
  const { columns } = upload.profile;
  const [{ roles, options }, setSetup] = useState(() => {
    if (!before) return { roles: suggestedRoles(upload), options: withSuggested(firstOptions(data), upload) };
    return changed(setupOf(before, columns, data), earlier ?? { action: null, column: null }, columns, data);
  });
  const [error, setError] = useState<PageProblem>();
  const [isStarting, setStarting] = useState(false);
  const id = useId();
  const target = targetOf(roles);
  const applies = { target: target !== undefined, text: namesWith(roles, 'text').length > 0 };
  const isFine = whyNotYet(roles) === undefined && !hasFault(options, data);
  const request = isFine
    ? { job_id: upload.job_id, ...roleFields(rolesBeside(roles, options.entity)), ...optionFields(options, applies) }
    : undefined;
  const estimated = useEstimate(service, request, estimateOf);
  const refused = error ?? estimated.error ?? failure;
  const setOptions = (next: typeof options) => setSetup({ roles, options: next });
  const start = async () => {
    if (request === undefined) return;
    // Scrolls up first, so that the next view does not jump.
    scrollTo(0, 0);
    setStarting(true);
    setError(undefined);
    try {
      const callback_url = options.callback.trim();
      await service.generate({ ...request, queue: true, ...(callback_url !== '' && { callback_url }) });
      onStarted();
    } catch (caught) {
      setError(problemOf(caught));
      setStarting(false);
    }
  };
  return (
    <section class="card" aria-labelledby={id}>
      <ViewHeading id={id} view="Set up" table={table}>
        {table ?? 'Your table'}
      </ViewHeading>
      {before && <p class="note">{changeWords(earlier?.action ?? null, earlier?.column ?? null)}</p>}
      {earlier && !before && <p class="note">The settings of the earlier job are no longer there.</p>}
      <ColumnsPanel
        upload={upload}
        roles={roles}
        first={earlier?.action === 'check_role' ? earlier.column : null}
        onRoles={(next) => setSetup({ roles: next, options })}
      >
        <p>{foundWords(upload, roles)}</p>
      </ColumnsPanel>
      <Notes texts={upload.warnings} what="note" after="on this file" />
      <Notes
        texts={upload.profile.relations.map(({ sentence }) => sentence)}
        what="relation"
        after="between columns that the synthetic table will keep"
      />
      <div class="options">
        <EntityFields
          columns={columns}
          options={options}
          refusal={(field) => saidOf(refused, field)}
          onOptions={setOptions}
        />
        <NumberField
          name="n_samples"
          data={data}
          typed={options.numbers.n_samples}
          refusal={saidOf(refused, 'n_samples')}
          onTyped={(typed) => setOptions({ ...options, numbers: { ...options.numbers, n_samples: typed } })}
        />
        {upload.n_rows < data.minRealRows && (
          <TickField
            title="Allow few rows"
            meaning={`The table has fewer than ${data.minRealRows} rows, and its synthetic copy may show nearly each of them. If you select this, the copy is made and withheld until it is released.`}
            value={options.allowsFewRows}
            refusal={saidOf(refused, 'allow_few_rows')}
            onValue={(allowsFewRows) => setOptions({ ...options, allowsFewRows })}
          />
        )}
      </div>
      <AdvancedPanel
        data={data}
        options={options}
        hasTarget={applies.target}
        hasText={applies.text}
        conditioned={columns.filter(
          ({ name, kind }) => kind !== 'identifier' && !['ignore', 'text', undefined].includes(roles.get(name)),
        )}
        refused={refused}
        isOpen={earlier?.action === 'choose_family'}
        onOptions={setOptions}
      >
        {target !== undefined && <FamilyPanel service={service} jobId={upload.job_id} target={target} />}
      </AdvancedPanel>
      <EstimatePanel found={estimated.found} onPlan={(fields) => setOptions(withPlan(options, fields))} />
      <StartBar
        action="Generate table"
        isStarting={isStarting}
        why={whyNotYet(roles) ?? (request ? undefined : 'Fix the highlighted options.')}
        found={estimated.found}
        error={error ?? estimated.error}
        onStart={start}
      />
    </section>
  );
}

const estimateOf = (service: SyntheticTables, request: GenerateRequestBody) => service.estimate(request);

function Notes({ texts, what, after }: { texts: readonly string[]; what: string; after: string }) {
  if (texts.length === 0) return null;
  return (
    <details>
      <summary>
        {counted(texts.length, what)} {after}
      </summary>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}
