/** What the job would take as it is set now, and a plan that takes less. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { GenerateRequestBody } from '../../domain/schema/generateRequest.ts';
import type { EstimateReply } from '../../domain/schema/replies.ts';
import { dollars, type Plan, type PlanFields, timeWords } from '../logic/estimateWords.ts';
import { figure } from '../logic/words.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { Problem } from './Problem.tsx';

/** After the last change: the answer to what is typed half way helps nobody. */
const QUIET_MS = 500;

interface Props {
  api: Api;
  /** Undefined while roles or options cannot be sent. */
  request: GenerateRequestBody | undefined;
  onPlan(fields: PlanFields): void;
}

export function EstimatePanel({ api, request, onPlan }: Props) {
  const [found, setFound] = useState<EstimateReply>();
  const [error, setError] = useState<ApiError>();
  const asked = request && JSON.stringify(request);
  useEffect(() => {
    let isCurrent = true;
    setError(undefined);
    if (request === undefined) return setFound(undefined);
    const ask = () =>
      api
        .estimate(request)
        .then((estimate) => isCurrent && setFound(estimate))
        .catch((caught) => {
          if (!isCurrent) return;
          setFound(undefined);
          setError(asApiError(caught));
        });
    const timer = setTimeout(ask, QUIET_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [api, asked]);
  const box = useRef<HTMLElement>(null);
  if (request === undefined) return null;
  // The button goes with its plan: the focus stays in the place where it was.
  const take = (fields: PlanFields) => {
    onPlan(fields);
    box.current?.focus();
  };
  return (
    <section class="note" aria-label="What it would take" tabIndex={-1} ref={box}>
      {!found && !error && <p class="soft">Estimating the time…</p>}
      <Problem error={error} />
      {found && <WholeJob found={found} />}
      {found?.cheaper && <CheaperPlan plan={found.cheaper} onPlan={take} />}
    </section>
  );
}

function WholeJob({ found: { seconds, memory_mb, cost, stages } }: { found: EstimateReply }) {
  return (
    <>
      <p role="status">
        This takes about <strong>{timeWords(seconds.expected)}</strong>: {timeWords(seconds.low)} to{' '}
        {timeWords(seconds.high)} on two processor cores with nothing else to do, and about {figure(memory_mb)} MB of
        memory. {cost && `It costs about ${dollars(cost.usd)} (assumed: ${cost.assumes}).`}
      </p>
      <details>
        <summary>What takes the time</summary>
        <ul>
          {stages.map(({ stage, seconds, why }) => (
            <li key={stage}>
              {stage}: {timeWords(seconds)} <span class="soft">({why})</span>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function CheaperPlan({ plan: { seconds, cost, fields, gives_up }, onPlan }: { plan: Plan; onPlan: Props['onPlan'] }) {
  return (
    <>
      <p>
        A cheaper plan takes about <strong>{timeWords(seconds.expected)}</strong>
        {cost && ` and ${dollars(cost.usd)}`}. What it gives up:
      </p>
      <ul class="soft">
        {gives_up.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <button type="button" onClick={() => onPlan(fields)}>
        Take the cheaper plan
      </button>
    </>
  );
}
