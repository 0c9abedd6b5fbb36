import { useId } from 'preact/hooks';
import type { SyntheticTables } from '../../packages/client/index.ts';
import { UPLOAD } from '../../packages/contract/files.ts';
import { counted } from '../../packages/words/wording.ts';
import { Problem } from './Problem.tsx';
import { SenderState, useSender } from './Sending.tsx';
import { type UploadFound, useJobOnce } from './uploads.ts';

interface Props {
  service: SyntheticTables;
  apiKey: string;
  maxBytes: number;
  title: string;
  meaning: string;
  id: string | null;
  found: UploadFound;
  isOptional?: boolean;
  onChosen(id: string | null): void;
}

export function JudgeFile({ service, apiKey, maxBytes, title, meaning, id, found, isOptional, onChosen }: Props) {
  const field = useId();
  const sender = useSender({ apiKey, maxBytes, onUploaded: onChosen });
  const { upload, error } = found;
  return (
    <div class="field">
      <label for={field}>{title}</label>
      <input
        id={field}
        type="file"
        accept={UPLOAD.extensions.join(',')}
        disabled={sender.sending !== undefined}
        aria-describedby={`${field}-hint`}
        onChange={(event) => sender.send(event.currentTarget.files?.[0])}
      />
      <p id={`${field}-hint`} class="soft small">
        {meaning}
      </p>
      <p class="there breaks" role="status">
        {upload && !sender.sending && <Uploaded service={service} {...upload} />}
        {id !== null && !upload && !error && 'Loading the columns…'}
      </p>
      {isOptional && id !== null && (
        <button type="button" onClick={() => onChosen(null)}>
          Do without it
        </button>
      )}
      <SenderState sender={sender} />
      <Problem error={sender.error ? undefined : error} />
    </div>
  );
}

function Uploaded({ service, reply, file }: { service: SyntheticTables } & NonNullable<UploadFound['upload']>) {
  // After a reload, only the service knows the file's name.
  const job = useJobOnce(service, file ? undefined : reply.job_id);
  const name = file?.name ?? (job === 'loading' ? undefined : job?.file_name);
  return (
    <>
      ✓ {name !== undefined && `${name}: `}
      {counted(reply.n_rows, 'row')}, {counted(reply.columns.length, 'column')}
    </>
  );
}
