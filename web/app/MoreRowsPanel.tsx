/** More rows from the model of a finished job: a job of its own, which the page then goes to. */
import { useId, useState } from 'preact/hooks';
import type { PageData } from '../logic/contract.ts';
import { faultOf } from '../logic/options.ts';
import { type Api, type ApiError, asApiError } from './api.ts';
import { NumberField } from './NumberField.tsx';
import { Problem } from './Problem.tsx';

interface Props {
  api: Api;
  data: PageData;
  id: string;
  onStarted(id: string): void;
}

export function MoreRowsPanel({ api, data, id, onStarted }: Props) {
  const [rows, setRows] = useState(String(data.bounds.n_samples.default ?? ''));
  const [seed, setSeed] = useState('');
  const [error, setError] = useState<ApiError>();
  const [isStarting, setStarting] = useState(false);
  const title = useId();
  const isFine = !faultOf('n_samples', rows, data) && !faultOf('seed', seed, data);
  const start = async () => {
    setStarting(true);
    setError(undefined);
    try {
      const body = { rows: Number(rows), ...(seed.trim() !== '' && { seed: Number(seed) }) };
      onStarted((await api.sample(id, body)).job_id);
    } catch (caught) {
      setError(asApiError(caught));
      setStarting(false);
    }
  };
  return (
    <section class="card" aria-labelledby={title}>
      <h2 id={title}>More rows</h2>
      <p>The model of this job is kept. More rows from it cost no new fit, and are measured as these were.</p>
      <div class="options">
        <NumberField name="n_samples" typed={rows} refusal={undefined} data={data} onTyped={setRows} />
        <NumberField name="seed" typed={seed} refusal={undefined} data={data} onTyped={setSeed} />
      </div>
      <div class="line">
        <button type="button" disabled={isStarting || !isFine} onClick={start}>
          {isStarting ? 'Starting…' : 'Make more rows'}
        </button>
      </div>
      <Problem error={error} />
    </section>
  );
}
