import Papa from 'papaparse';
import { useId } from 'preact/hooks';
import { clip } from '../../packages/words/format.ts';

const ROWS = 20;
const MAX_CHARACTERS = 60;
const MAX_COLUMNS = 50;

interface RowsProps {
  /** Undefined while loading. */
  made: Sheet | undefined;
  real: Sheet | undefined;
}

/** Reserves space before rows arrive, so that nothing moves. */
export function RowsPanel({ made, real }: RowsProps) {
  const id = useId();
  const names = (made ?? real)?.header.slice(0, MAX_COLUMNS) ?? [];
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Rows</h2>
      <div class="beside">
        <Rows title="Synthetic" sheet={made} names={names} />
        <Rows title="Real" sheet={real} names={names} />
      </div>
    </section>
  );
}

function Rows({ title, sheet, names }: { title: string; sheet: Sheet | undefined; names: readonly string[] }) {
  const places = names.map((name) => sheet?.header.indexOf(name) ?? -1);
  return (
    <div>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll rows" tabIndex={0} aria-label={`${title} rows`}>
        {sheet && (
          <table>
            <thead>
              <tr>
                {names.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sheet.rows.slice(0, ROWS).map((row, at) => (
                <tr key={at}>
                  {places.map((place, column) => (
                    <td key={names[column]}>{clip(row[place] ?? '', MAX_CHARACTERS)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </div>
  );
}

export interface Sheet {
  header: string[];
  /** Short rows are padded with ''. */
  rows: string[][];
}

const MAX_BYTES = 2_000_000;

export async function readCsv(file: Blob): Promise<Sheet> {
  const text = await file.slice(0, MAX_BYTES).text();
  const { data } = Papa.parse<string[]>(text, { preview: ROWS + 1, skipEmptyLines: 'greedy' });
  const [header = [], ...rows] = data;
  // The last row may be truncated.
  const whole = file.size > MAX_BYTES ? rows.slice(0, -1) : rows;
  const width = header.length;
  const filled = whole.map((row) =>
    row.length < width ? [...row, ...new Array<string>(width - row.length).fill('')] : row,
  );
  return { header: header.map((name) => name.trim()), rows: filled };
}
