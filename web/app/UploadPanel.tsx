import { useId, useState } from 'preact/hooks';
import { UPLOAD } from '../../packages/contract/files.ts';
import { UPLOAD_ENDINGS } from '../../packages/words/files.ts';
import { bytes } from '../../packages/words/format.ts';
import type { PageData } from '../logic/contract.ts';
import { hashOf, NOTHING_JUDGED } from '../logic/route.ts';
import { SenderState, useSender } from './Sending.tsx';
import { pageProblem } from './service.ts';
import { ViewHeading } from './ViewHeading.tsx';

interface Props {
  apiKey: string;
  data: PageData;
  onUploaded(jobId: string): void;
}

export function UploadPanel({ apiKey, data, onUploaded }: Props) {
  const sender = useSender({ apiKey, maxBytes: data.maxUploadBytes, onUploaded });
  const { sending, send } = sender;
  const [isOver, setOver] = useState(false);
  const id = useId();

  const tryExample = async () => {
    const { path, name } = data.example;
    try {
      const answer = await fetch(path);
      await send(new File([await answer.blob()], name, { type: 'text/csv' }));
    } catch {
      sender.setError(pageProblem({ code: 'connection_failed', params: { reason: 'no_answer' } }));
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void send(event.dataTransfer?.files[0]);
  };
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <ViewHeading id={`${id}-title`} view="New table">
        Upload a table
      </ViewHeading>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra way for the mouse; the input within serves the keyboard. */}
      <div
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <label for={id}>Drop a file here, or choose one</label>
        <input
          id={id}
          type="file"
          accept={UPLOAD.extensions.join(',')}
          disabled={sending !== undefined}
          aria-describedby={`${id}-hint`}
          onChange={(event) => send(event.currentTarget.files?.[0])}
        />
        <p id={`${id}-hint`} class="soft">
          CSV or spreadsheet ({UPLOAD_ENDINGS}) with a header row; at most {bytes(data.maxUploadBytes)}.
        </p>
      </div>
      <p>
        No file yet?{' '}
        <button type="button" onClick={tryExample} disabled={sending !== undefined}>
          Try our sample
        </button>{' '}
        <span class="soft">2,000 invented clinic appointments ({data.example.name}).</span>
      </p>
      <SenderState sender={sender} />
      <p>
        Already have synthetic data?{' '}
        <a href={hashOf({ at: 'judge', uploads: NOTHING_JUDGED, from: null })}>Check its quality</a>.
      </p>
    </section>
  );
}
