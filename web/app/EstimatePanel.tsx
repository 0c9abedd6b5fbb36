import { useEffect, useRef, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { EstimateReply } from '../../packages/contract/replies.ts';
import { dollars, duration, roughTime } from '../../packages/words/format.ts';
import { withCommas } from '../../packages/words/wording.ts';
import { type PageProblem, problemOf } from './service.ts';

type Plan = NonNullable<EstimateReply['cheaper']>;
type PlanFields = Plan['fields'];

/** Delay after the last change, to skip partial input. */
const QUIET_MS = 500;

export interface Estimated {
  found: EstimateReply | undefined;
  /** Why the request would be refused. */
  error: PageProblem | undefined;
}

/**
 * @param request Undefined while invalid.
 * @param estimateOf Must be stable.
 */
export function useEstimate<Request>(
  service: SyntheticTables,
  request: Request | undefined,
  estimateOf: (service: SyntheticTables, request: Request) => Promise<EstimateReply>,
): Estimated {
  const [estimated, setEstimated] = useState<Estimated>({ found: undefined, error: undefined });
  const asked = request && JSON.stringify(request);
  useEffect(() => {
    let isCurrent = true;
    if (request === undefined) return setEstimated({ found: undefined, error: undefined });
    const ask = () =>
      estimateOf(service, request)
        .then((found) => isCurrent && setEstimated({ found, error: undefined }))
        .catch((caught) => isCurrent && setEstimated({ found: undefined, error: problemOf(caught) }));
    const timer = setTimeout(ask, QUIET_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [service, asked]);
  return estimated;
}

interface Props {
  found: EstimateReply | undefined;
  onPlan?(fields: PlanFields): void;
}

/** Initially closed, so that replies move nothing. */
export function EstimatePanel({ found, onPlan }: Props) {
  const box = useRef<HTMLElement>(null);
  // The button disappears with its plan, so focus must stay here.
  const take = (fields: PlanFields) => {
    onPlan?.(fields);
    box.current?.focus();
  };
  return (
    <details>
      <summary>Time and memory</summary>
      <section class="note" aria-label="Estimate" tabIndex={-1} ref={box}>
        {found ? <WholeJob found={found} /> : <p class="soft">No estimate yet.</p>}
        {found?.cheaper && <CheaperPlan plan={found.cheaper} onPlan={take} />}
      </section>
    </details>
  );
}

function WholeJob({ found: { seconds, cpu_seconds, memory_mb, cost, stages } }: { found: EstimateReply }) {
  return (
    <>
      <p>
        Estimated time: <strong>{roughTime(seconds.expected)}</strong> ({roughTime(seconds.low)} to{' '}
        {roughTime(seconds.high)}) {cost ? 'on a rented machine of two cores' : 'on the machine of the service'},{' '}
        {roughTime(cpu_seconds.expected)} of CPU, about {withCommas(memory_mb)} MB of memory.
        {cost && ` Estimated cost: ${dollars(cost.usd)} (assuming ${cost.assumes}).`}
      </p>
      <details>
        <summary>Time by stage</summary>
        <ul>
          {stages.map(({ stage, seconds }) => (
            <li key={stage}>
              {capitalised(stage)}: {duration(1000 * Math.max(1, Math.round(seconds)))}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function planWords({ n_samples: rows, ...others }: PlanFields): string {
  const isAlone = Object.values(others).every((value) => value === undefined);
  return rows !== undefined && isAlone ? `Generate ${withCommas(rows)} rows instead` : 'Use these settings';
}

function CheaperPlan({
  plan: { seconds, cost, fields, tradeoffs },
  onPlan,
}: {
  plan: Plan;
  onPlan(fields: PlanFields): void;
}) {
  return (
    <>
      <p>
        Faster: about <strong>{roughTime(seconds.expected)}</strong>
        {cost && ` and ${dollars(cost.usd)}`}, with:
      </p>
      <ul class="soft">
        {tradeoffs.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <button type="button" onClick={() => onPlan(fields)}>
        {planWords(fields)}
      </button>
    </>
  );
}
