/** Twenty rows of the synthetic table, beside twenty of the uploaded file where it is still at hand. */
import { useId } from 'preact/hooks';
import { clip } from '../logic/words.ts';
import type { Sheet } from './readCsv.ts';

const ROWS = 20;
const MOST_CHARACTERS = 60;
const MOST_COLUMNS = 50;

interface Props {
  made: Sheet;
  real: Sheet | undefined;
}

export function RowsPanel({ made, real }: Props) {
  const id = useId();
  const names = made.header.slice(0, MOST_COLUMNS);
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>Rows</h2>
      <div class="beside">
        <Rows title="Synthetic" sheet={made} names={names} />
        {real ? (
          <Rows title="Uploaded" sheet={real} names={names} />
        ) : (
          <p class="soft">
            Rows of your own file are shown beside these while this tab still has it: a CSV file, and no reload since
            the upload.
          </p>
        )}
      </div>
    </section>
  );
}

function Rows({ title, sheet, names }: { title: string; sheet: Sheet; names: readonly string[] }) {
  const places = names.map((name) => sheet.header.indexOf(name));
  return (
    <div>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section class="scroll" tabIndex={0} aria-label={`${title} rows`}>
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
                  <td key={names[column]}>{clip(row[place] ?? '', MOST_CHARACTERS)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
