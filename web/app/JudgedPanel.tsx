import { useState } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import type { StatusReply } from '../../packages/contract/replies.ts';
import { logLines } from '../../packages/words/events.ts';
import type { PageData } from '../logic/contract.ts';
import { judgedAgain, type Route } from '../logic/route.ts';
import { ComparisonPanel, useReport } from './ComparisonPanel.tsx';
import { FilesPanel } from './FilesPanel.tsx';
import { MetricsPanel } from './MetricsPanel.tsx';
import { ModelPanel } from './ModelPanel.tsx';
import type { Upload } from './memory.ts';
import { rememberUpload } from './memory.ts';
import { previewOf } from './ResultPanel.tsx';
import { RowsPanel } from './RowsPanel.tsx';
import { AssociationsPanel, ScoresPanel } from './ScoresPanel.tsx';
import { type PageProblem, problemOf } from './service.ts';
import { useJobOnce, useUpload } from './uploads.ts';
import { VerdictPanel } from './VerdictPanel.tsx';

interface Props {
  service: SyntheticTables;
  data: PageData;
  status: StatusReply;
  table: string | undefined;
  upload: Upload | undefined;
  realId: string;
  onGo(route: Route): void;
}

export function JudgedPanel({ service, data, status, table = 'The table', upload, realId, onGo }: Props) {
  const { metrics } = status;
  const real = useUpload(service, realId).upload;
  const realJob = useJobOnce(service, realId);
  const report = useReport(service, status.job_id);
  const { again, problem } = useJudgeAgain({ service, status, upload, onGo });
  // Waits for everything, so that nothing moves.
  if (!metrics || realJob === 'loading') return null;
  const beside = realJob?.file_name;
  return (
    <>
      <VerdictPanel
        metrics={metrics}
        table={table}
        words={{
          view: 'Quality check',
          title: 'Quality check finished',
          about: `${table}${beside === undefined ? '' : ` compared with ${beside}`}`,
        }}
        onStep={undefined}
      >
        <FilesPanel
          service={service}
          data={data}
          id={status.job_id}
          table={table}
          isForOwner={false}
          made={undefined}
          problem={problem}
          again={{ words: 'Check again with other tables or roles', act: again }}
          onErased={() => onGo({ at: 'jobs' })}
        />
      </VerdictPanel>
      <RowsPanel made={previewOf(upload)} real={previewOf(real)} />
      <MetricsPanel metrics={metrics} />
      {report && (
        <>
          <ComparisonPanel report={report} />
          <ScoresPanel report={report} />
          <AssociationsPanel report={report} />
        </>
      )}
      {report !== undefined && <ModelPanel metrics={metrics} log={logLines(status, 'page')} result="judged" />}
    </>
  );
}

/** A finished job cannot change, so this makes a new one. */
function useJudgeAgain({ service, status, upload, onGo }: Pick<Props, 'service' | 'status' | 'upload' | 'onGo'>) {
  const [problem, setProblem] = useState<PageProblem>();
  const again = async () => {
    try {
      const reply = await service.repeat(status.job_id);
      rememberUpload({ reply, file: upload?.file });
      const route = judgedAgain(status, reply.job_id);
      if (route) onGo(route);
    } catch (caught) {
      setProblem(problemOf(caught));
    }
  };
  return { again, problem };
}
