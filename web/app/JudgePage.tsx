import { useId, useState } from 'preact/hooks';
import { type SyntheticTables, suggestedRoles } from '../../packages/client/index.ts';
import type { StatusReply, UploadReply } from '../../packages/contract/replies.ts';
import type { CompareRequestBody } from '../../packages/contract/requests.ts';
import { setupOf } from '../logic/again.ts';
import type { PageData } from '../logic/contract.ts';
import { comparedWords, isOfReal, JUDGE, judgeRequest, whyNotJudged } from '../logic/judge.ts';
import type { Roles } from '../logic/roles.ts';
import type { JudgedUploads } from '../logic/route.ts';
import { ColumnsPanel } from './ColumnsPanel.tsx';
import { EstimatePanel, useEstimate } from './EstimatePanel.tsx';
import { JudgeFile } from './JudgeFile.tsx';
import { StartBar } from './StartBar.tsx';
import { type PageProblem, problemOf } from './service.ts';
import { useJobOnce, useUpload } from './uploads.ts';
import { ViewHeading } from './ViewHeading.tsx';

interface Props {
  service: SyntheticTables;
  apiKey: string;
  data: PageData;
  uploads: JudgedUploads;
  /** Earlier comparison whose roles are kept. */
  from: string | null;
  onChosen(table: keyof JudgedUploads, id: string | null): void;
  onStarted(id: string): void;
}

const FILES: readonly { table: keyof JudgedUploads; title: string; meaning: string }[] = [
  { table: 'real', title: 'Real table', meaning: 'The rows that the synthetic table was made from.' },
  { table: 'synthetic', title: 'Synthetic table', meaning: 'Made by any program, with the same column names.' },
  {
    table: 'held',
    title: 'Held-out real rows (optional)',
    meaning: 'Real rows that were not used to make it. Needed to test privacy.',
  },
];

export function JudgePage({ service, apiKey, data, uploads, from, onChosen, onStarted }: Props) {
  const [error, setError] = useState<PageProblem>();
  const [isStarting, setStarting] = useState(false);
  const id = useId();
  const found = {
    real: useUpload(service, uploads.real ?? undefined),
    synthetic: useUpload(service, uploads.synthetic ?? undefined),
    held: useUpload(service, uploads.held ?? undefined),
  };
  const tables = {
    real: found.real.upload?.reply,
    synthetic: found.synthetic.upload?.reply,
    held: found.held.upload?.reply,
  };
  const earlier = useJobOnce(service, from ?? undefined);
  const [roles, setRoles] = useRoles(tables.real, earlier, data);
  const why = earlier === 'loading' ? 'Loading…' : whyNotJudged(tables, roles);
  const request = why === undefined ? judgeRequest(uploads, roles) : undefined;
  const estimated = useEstimate(service, request, estimateOf);
  const start = async () => {
    if (request === undefined) return;
    setStarting(true);
    setError(undefined);
    try {
      onStarted((await service.compare({ ...request, queue: true })).job_id);
    } catch (caught) {
      setError(problemOf(caught));
      setStarting(false);
    }
  };
  return (
    <section class="card" aria-labelledby={id}>
      <ViewHeading id={id} view="Check quality">
        {JUDGE}
      </ViewHeading>
      <p>We run the same quality measures and privacy attacks as on tables made here.</p>
      <div class="options">
        {FILES.map((file) => (
          <JudgeFile
            key={file.table}
            {...file}
            service={service}
            apiKey={apiKey}
            maxBytes={data.maxUploadBytes}
            id={uploads[file.table]}
            found={found[file.table]}
            isOptional={file.table === 'held'}
            onChosen={(chosen) => onChosen(file.table, chosen)}
          />
        ))}
      </div>
      {tables.real && earlier !== 'loading' && (
        <>
          <h2>Columns of the real table</h2>
          <ColumnsPanel upload={tables.real} roles={roles} first={null} makesIds={false} onRoles={setRoles}>
            <p>{comparedWords(tables, roles)}</p>
          </ColumnsPanel>
        </>
      )}
      {request && <EstimatePanel found={estimated.found} />}
      <StartBar
        action="Check quality"
        isStarting={isStarting}
        why={why}
        found={estimated.found}
        error={error ?? estimated.error}
        onStart={start}
      />
    </section>
  );
}

const estimateOf = (service: SyntheticTables, request: CompareRequestBody) => service.estimateComparison(request);

const NO_ROLES: Roles = new Map();

/** Suggested roles or those of the earlier comparison. */
function useRoles(
  real: UploadReply | undefined,
  earlier: StatusReply | 'loading' | undefined,
  data: PageData,
): [Roles, (roles: Roles) => void] {
  const [changed, setChanged] = useState<{ of: string; roles: Roles }>();
  if (!real || earlier === 'loading') return [NO_ROLES, () => undefined];
  const set = (roles: Roles) => setChanged({ of: real.job_id, roles });
  if (changed?.of === real.job_id) return [changed.roles, set];
  const request = isOfReal(earlier, real.job_id) ? earlier?.request : undefined;
  return [request ? setupOf(request, real.profile.columns, data).roles : suggestedRoles(real), set];
}
