/** Between upload and start: columns, roles, options. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { roleFields, type SyntheticTables, suggestedRoles } from '../../packages/client/index.ts';
import type { DetectFamilyReply, EstimateReply } from '../../packages/contract/replies.ts';
import type { GenerateRequestBody } from '../../packages/contract/requests.ts';
import { decimal, dollars, familyName, roughTime } from '../../packages/words/format.ts';
import { counted, withCommas } from '../../packages/words/wording.ts';
import type { PageData } from '../logic/contract.ts';
import {
  callbackFault,
  faultOf,
  firstOptions,
  NUMBER_OPTIONS,
  optionFields,
  readConditions,
  withPlan,
} from '../logic/options.ts';
import { namesWith, type Roles, targetOf, whyNotYet } from '../logic/roles.ts';
import { ColumnList } from './ColumnList.tsx';
import type { Upload } from './memory.ts';
import { OptionsPanel } from './OptionsPanel.tsx';
import { Problem } from './Problem.tsx';
import { type PageProblem, problemOf } from './service.ts';
import { useHeadingFocus } from './useHeadingFocus.ts';

interface Props {
  service: SyntheticTables;
  data: PageData;
  upload: Upload;
  /** Why the job failed, where it is to be started again. */
  failure: PageProblem | undefined;
  onStarted(): void;
}

export function SetupPanel({ service, data, upload: { reply: upload, file }, failure, onStarted }: Props) {
  const { columns, relations } = upload.profile;
  const [roles, setRoles] = useState<Roles>(() => suggestedRoles(upload));
  const [options, setOptions] = useState(() => firstOptions(data));
  const [error, setError] = useState<PageProblem>();
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
    missing === undefined && !fault ? { job_id: upload.job_id, ...roleFields(roles), ...chosen() } : undefined;

  const start = async () => {
    if (request === undefined) return;
    setStarting(true);
    setError(undefined);
    try {
      const callback_url = options.callback.trim();
      await service.generate({ ...request, ...(callback_url !== '' && { callback_url }) });
      onStarted();
    } catch (caught) {
      setError(problemOf(caught));
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
        <ColumnList upload={upload} roles={roles} onRoles={setRoles} />
        {target !== undefined && <FamilyPanel service={service} jobId={upload.job_id} target={target} />}
      </section>
      <section class="card" aria-labelledby={`${id}-options`}>
        <h2 id={`${id}-options`}>Options</h2>
        <OptionsPanel
          data={data}
          options={options}
          hasTarget={target !== undefined}
          hasText={hasText}
          rows={upload.n_rows}
          refused={error ?? failure}
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
            {isStarting ? 'Starting…' : 'Generate table'}
          </button>
          <span id={`${id}-why`} class="soft">
            {missing ?? (fault ? 'Fix the highlighted options.' : '')}
          </span>
        </div>
        <Problem error={error} />
        {/* Below the button: an answer that came above it would move it away under the pointer. */}
        <EstimatePanel
          service={service}
          request={request}
          isRefused={error !== undefined}
          onPlan={(fields) => setOptions(withPlan(options, fields))}
        />
      </section>
    </>
  );
}

function Warnings({ texts }: { texts: readonly string[] }) {
  return (
    <details class="note warn" open={texts.length <= 5}>
      <summary>{counted(texts.length, 'note')} on this file</summary>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}

// What `auto` would choose for the target, and why.

function FamilyPanel({ service, jobId, target }: { service: SyntheticTables; jobId: string; target: string }) {
  const [choice, setChoice] = useState<DetectFamilyReply>();
  const [error, setError] = useState<PageProblem>();
  useEffect(() => {
    let isCurrent = true;
    setChoice(undefined);
    setError(undefined);
    service
      .detectFamily(jobId, target)
      .then((found) => isCurrent && setChoice(found))
      .catch((caught) => isCurrent && setError(problemOf(caught)));
    return () => {
      isCurrent = false;
    };
  }, [service, jobId, target]);
  return (
    <div class="note" aria-live="polite">
      {!choice && !error && <p>Choosing a family for "{target}"…</p>}
      <Problem error={error} />
      {choice && (
        <>
          <p>
            For "{target}", <code>auto</code> chooses <strong>{familyName(choice.family)}</strong>.
          </p>
          <p class="soft">{choice.reason}</p>
          {choice.candidates.length > 0 && (
            <details>
              <summary>Families compared</summary>
              <table>
                <thead>
                  <tr>
                    <th scope="col">Family</th>
                    <th scope="col">Held-out log score (higher is better)</th>
                  </tr>
                </thead>
                <tbody>
                  {choice.candidates.map(({ family, log_score }) => (
                    <tr key={family}>
                      <td>{familyName(family)}</td>
                      <td>{decimal(log_score)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </details>
          )}
        </>
      )}
    </div>
  );
}

// What the job would take as it is set now, and a plan that takes less.

type Plan = NonNullable<EstimateReply['cheaper']>;
type PlanFields = Plan['fields'];

/** After the last change: the answer to what is typed half way helps nobody. */
const QUIET_MS = 500;

interface EstimateProps {
  service: SyntheticTables;
  /** Undefined while roles or options cannot be sent. */
  request: GenerateRequestBody | undefined;
  /** The service refused to start the job: what it said stands beside this, and is not said again. */
  isRefused: boolean;
  onPlan(fields: PlanFields): void;
}

function EstimatePanel({ service, request, isRefused, onPlan }: EstimateProps) {
  const [found, setFound] = useState<EstimateReply>();
  const [error, setError] = useState<PageProblem>();
  const asked = request && JSON.stringify(request);
  useEffect(() => {
    let isCurrent = true;
    setError(undefined);
    if (request === undefined) return setFound(undefined);
    const ask = () =>
      service
        .estimate(request)
        .then((estimate) => isCurrent && setFound(estimate))
        .catch((caught) => {
          if (!isCurrent) return;
          setFound(undefined);
          setError(problemOf(caught));
        });
    const timer = setTimeout(ask, QUIET_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [service, asked]);
  const box = useRef<HTMLElement>(null);
  if (request === undefined || (isRefused && !found)) return null;
  // The button goes with its plan: the focus stays in the place where it was.
  const take = (fields: PlanFields) => {
    onPlan(fields);
    box.current?.focus();
  };
  return (
    <section class="note" aria-label="Estimate" tabIndex={-1} ref={box}>
      {!found && !error && <p class="soft">Estimating the time…</p>}
      <Problem error={isRefused ? undefined : error} />
      {found && <WholeJob found={found} />}
      {found?.cheaper && <CheaperPlan plan={found.cheaper} onPlan={take} />}
    </section>
  );
}

function WholeJob({ found: { seconds, memory_mb, cost, stages } }: { found: EstimateReply }) {
  return (
    <>
      <p role="status">
        Estimated time: <strong>{roughTime(seconds.expected)}</strong> ({roughTime(seconds.low)} to{' '}
        {roughTime(seconds.high)}) on two idle processor cores, about {withCommas(memory_mb)} MB of memory.
        {cost && ` Estimated cost: ${dollars(cost.usd)} (assuming ${cost.assumes}).`}
      </p>
      <details>
        <summary>Time by stage</summary>
        <ul>
          {stages.map(({ stage, seconds, why }) => (
            <li key={stage}>
              {stage}: {roughTime(seconds)} <span class="soft">({why})</span>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function CheaperPlan({
  plan: { seconds, cost, fields, tradeoffs },
  onPlan,
}: {
  plan: Plan;
  onPlan: EstimateProps['onPlan'];
}) {
  return (
    <>
      <p>
        A cheaper plan: about <strong>{roughTime(seconds.expected)}</strong>
        {cost && ` and ${dollars(cost.usd)}`}. Trade-offs:
      </p>
      <ul class="soft">
        {tradeoffs.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <button type="button" onClick={() => onPlan(fields)}>
        Use the cheaper plan
      </button>
    </>
  );
}
