import { useEffect, useId, useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import { logLines } from '../../packages/words/events.ts';
import { isForOwner } from '../../packages/words/shareable.ts';
import type { PageData } from '../logic/contract.ts';
import { entitiesFault, faultOf } from '../logic/options.ts';
import type { Earlier, Route } from '../logic/route.ts';
import { ComparisonPanel, useReport } from './ComparisonPanel.tsx';
import { EntitiesField } from './EntityFields.tsx';
import { NumberField } from './Fields.tsx';
import { FilesPanel } from './FilesPanel.tsx';
import { MetricsPanel } from './MetricsPanel.tsx';
import { ModelPanel } from './ModelPanel.tsx';
import { rememberUpload, type Upload } from './memory.ts';
import { Problem } from './Problem.tsx';
import { RowsPanel, readCsv, type Sheet } from './RowsPanel.tsx';
import { AssociationsPanel, ScoresPanel } from './ScoresPanel.tsx';
import { SequencesPanel } from './SequencesPanel.tsx';
import { blobOf, type PageProblem, problemOf, saidOf } from './service.ts';
import { VerdictPanel } from './VerdictPanel.tsx';

interface Props {
  service: SyntheticTables;
  data: PageData;
  status: StatusReply;
  table: string | undefined;
  upload: Upload | undefined;
  onReleased(): void;
  onGo(route: Route): void;
}

export function ResultPanel({ service, data, status, table, upload, onReleased, onGo }: Props) {
  const { job_id: id, metrics } = status;
  const isWithheld = status.release === 'withheld';
  const isSample = status.sample_of !== undefined;
  const { file, made, error } = useResult(service, id, isWithheld);
  const real = useOriginal(upload?.file);
  const report = useReport(service, id);
  const { again, problem } = useAgain(service, id, upload, onGo);
  const repeat = isSample ? undefined : again;
  const files = (
    <FilesPanel
      service={service}
      data={data}
      id={id}
      table={table}
      isForOwner={isForOwner(status)}
      made={isWithheld ? undefined : { file, error }}
      problem={problem}
      again={repeat && { words: 'Run again with other settings', act: () => repeat({ action: null, column: null }) }}
      onErased={() => onGo({ at: 'jobs' })}
    />
  );
  return (
    <>
      {metrics && (
        <VerdictPanel
          metrics={metrics}
          table={table}
          words={{ view: 'Result', title: 'Your table is ready', about: table }}
          onStep={repeat}
        >
          {files}
        </VerdictPanel>
      )}
      {isWithheld ? (
        <WithheldPanel service={service} id={id} reasons={metrics?.release?.reasons ?? []} onReleased={onReleased} />
      ) : (
        <RowsPanel made={made} real={real ?? previewOf(upload)} />
      )}
      {metrics && <MetricsPanel metrics={metrics} />}
      {report && (
        <>
          <ComparisonPanel report={report} />
          <ScoresPanel report={report} />
          <AssociationsPanel report={report} />
          <SequencesPanel report={report} />
        </>
      )}
      {report !== undefined && !isWithheld && !isSample && (
        <MoreRowsPanel
          service={service}
          data={data}
          id={id}
          entity={status.request?.entity_col ?? null}
          onStarted={(more) => onGo({ at: 'job', id: more })}
        />
      )}
      {report !== undefined && metrics && <ModelPanel metrics={metrics} log={logLines(status, 'page')} result="made" />}
    </>
  );
}

// Repeats the job with other settings.

type Change = Pick<Earlier, 'action' | 'column'>;

function useAgain(service: SyntheticTables, id: string, upload: Upload | undefined, onGo: Props['onGo']) {
  const [problem, setProblem] = useState<PageProblem>();
  const again = async ({ action, column }: Change) => {
    try {
      const reply = await service.repeat(id);
      rememberUpload({ reply, file: upload?.file });
      onGo({ at: 'job', id: reply.job_id, earlier: { from: id, action, column } });
    } catch (caught) {
      setProblem(problemOf(caught));
    }
  };
  return { again, problem };
}

interface Result {
  file: Blob | undefined;
  made: Sheet | undefined;
  error: PageProblem | undefined;
}

function useResult(service: SyntheticTables, id: string, isWithheld: boolean): Result {
  const [file, setFile] = useState<Blob>();
  const [made, setMade] = useState<Sheet>();
  const [error, setError] = useState<PageProblem>();
  useEffect(() => {
    if (isWithheld) return;
    service
      .download(id)
      .then(async (download) => {
        const blob = await blobOf(download, 'text/csv');
        setFile(blob);
        setMade(await readCsv(blob));
      })
      .catch((caught) => setError(problemOf(caught)));
  }, [service, id, isWithheld]);
  return { file, made, error };
}

/** Reads text uploads while this tab has them. */
function useOriginal(file: File | undefined): Sheet | undefined {
  const [sheet, setSheet] = useState<Sheet>();
  useEffect(() => {
    if (file?.name.toLowerCase().endsWith('.csv')) readCsv(file).then(setSheet, () => undefined);
  }, [file]);
  return sheet;
}

/** The service keeps the first rows. */
export function previewOf(upload: Upload | undefined): Sheet | undefined {
  const { columns, preview } = upload?.reply ?? {};
  if (!columns || !preview) return undefined;
  return { header: columns, rows: preview.map((row) => row.map((cell) => cell ?? '')) };
}

interface WithheldProps {
  service: SyntheticTables;
  id: string;
  reasons: readonly string[];
  onReleased(): void;
}

function WithheldPanel({ service, id, reasons, onReleased }: WithheldProps) {
  const [error, setError] = useState<PageProblem>();
  const [isSure, setSure] = useState(false);
  const title = useId();
  const release = async () => {
    try {
      await service.release(id);
      onReleased();
    } catch (caught) {
      setError(problemOf(caught));
    }
  };
  return (
    <section class="card verdict poor" aria-labelledby={title}>
      <h2 id={title}>Download blocked</h2>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <p>Run the table again with other roles or fewer text epochs, or release the rows anyway, if your key may:</p>
      <div class="line">
        {isSure ? (
          <>
            <button type="button" class="danger" onClick={release}>
              I have read this: release the rows
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep withheld
            </button>
          </>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            Release the rows anyway…
          </button>
        )}
      </div>
      <Problem error={error} />
    </section>
  );
}

interface MoreRowsProps {
  service: SyntheticTables;
  data: PageData;
  id: string;
  entity: string | null;
  onStarted(id: string): void;
}

function MoreRowsPanel({ service, data, id, entity, onStarted }: MoreRowsProps) {
  const [rows, setRows] = useState(String(data.bounds.n_samples.default ?? ''));
  const [entities, setEntities] = useState('');
  const [seed, setSeed] = useState('');
  const [error, setError] = useState<PageProblem>();
  const [isStarting, setStarting] = useState(false);
  const title = useId();
  const isFine = !faultOf('n_samples', rows, data) && !faultOf('seed', seed, data) && !entitiesFault(entities);
  const start = async () => {
    setStarting(true);
    setError(undefined);
    try {
      const body = {
        rows: Number(rows),
        ...(entities.trim() !== '' && { n_entities: Number(entities) }),
        ...(seed.trim() !== '' && { seed: Number(seed) }),
      };
      onStarted((await service.sample(id, { ...body, queue: true })).job_id);
    } catch (caught) {
      setError(problemOf(caught));
      setStarting(false);
    }
  };
  return (
    <section class="card" aria-labelledby={title}>
      <h2 id={title}>More rows</h2>
      <p>Draw more rows from the model of this job, without fitting it again. They get their own metrics.</p>
      <div class="options">
        <NumberField name="n_samples" typed={rows} refusal={saidOf(error, 'rows')} data={data} onTyped={setRows} />
        {entity !== null && (
          <EntitiesField typed={entities} refusal={saidOf(error, 'n_entities')} onTyped={setEntities} />
        )}
        <NumberField name="seed" typed={seed} refusal={saidOf(error, 'seed')} data={data} onTyped={setSeed} />
      </div>
      <div class="line">
        <button type="button" disabled={isStarting || !isFine} onClick={start}>
          {isStarting ? 'Starting…' : 'Generate more rows'}
        </button>
      </div>
      <Problem error={error} />
    </section>
  );
}
