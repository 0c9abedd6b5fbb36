/** The table in other formats than CSV: made by the service when asked for. */
import { useId, useState } from 'preact/hooks';
import type { Api } from './api.ts';
import { saveBlob } from './saveBlob.ts';

/** By the `format` of GET /download. */
const FORMATS = { xlsx: 'Excel', parquet: 'Parquet', jsonl: 'JSON Lines' } as const;
type Format = keyof typeof FORMATS;

const isFormat = (text: string): text is Format => Object.hasOwn(FORMATS, text);

interface Props {
  api: Api;
  id: string;
  /** Runs an action and shows what became of it. */
  attempt(act: () => Promise<void>): Promise<void>;
}

export function OtherFormats({ api, id, attempt }: Props) {
  const [format, setFormat] = useState<Format>('xlsx');
  const select = useId();
  const save = () =>
    attempt(async () => saveBlob(await api.file(`/download/${id}?format=${format}`), `synthetic_data.${format}`));
  return (
    <span class="together">
      <label for={select}>Format</label>
      <select
        id={select}
        value={format}
        onChange={({ currentTarget: { value } }) => isFormat(value) && setFormat(value)}
      >
        {Object.entries(FORMATS).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <button type="button" onClick={save}>
        Download as {FORMATS[format]}
      </button>
    </span>
  );
}
