import { useId, useState } from 'preact/hooks';
import {
  CONDITIONS_EXAMPLE,
  conditionOf,
  conditionsFault,
  type Draft,
  draftFault,
  draftOf,
  firstDraft,
  levelsOf,
  readConditions,
  TESTS,
  type Test,
  writeConditions,
} from '../logic/conditions.ts';
import type { ColumnReport } from '../logic/roles.ts';
import { Hint } from './Fields.tsx';
import { type PageProblem, partsOf, saidOf } from './service.ts';

const FIELD = 'conditions';

interface Props {
  value: string;
  columns: readonly ColumnReport[];
  refused: PageProblem | undefined;
  onValue(value: string): void;
}

export function ConditionsField({ value, columns, refused, onValue }: Props) {
  const [isJson, setJson] = useState(false);
  const conditions = readConditions(value);
  const whole = saidOf(refused, FIELD);
  const placed = partsOf(refused, FIELD);
  const drafts = conditions?.map(draftOf);
  const set = (next: readonly Draft[]) =>
    onValue(
      writeConditions(
        next.map((draft) =>
          conditionOf(
            draft,
            columns.find(({ name }) => name === draft.column),
          ),
        ),
      ),
    );
  return (
    <fieldset class="conditions">
      <legend>Conditions</legend>
      <p class="soft small">Every row, or a number of rows, has to meet them. Optional.</p>
      {isJson || !drafts ? (
        <JsonField value={value} fault={conditionsFault(value) ?? whole} onValue={onValue} />
      ) : (
        <>
          {drafts.map((draft, at) => (
            <ConditionLine
              key={at}
              number={at + 1}
              draft={draft}
              columns={columns}
              fault={draftFault(draft) ?? placed.get(at)}
              onDraft={(next) => set(drafts.map((one, place) => (place === at ? next : one)))}
              onRemove={() => set(drafts.filter((_, place) => place !== at))}
            />
          ))}
          {whole && placed.size === 0 && <div class="fault small">{whole}</div>}
        </>
      )}
      <div class="line">
        {!isJson && drafts && (
          <button
            type="button"
            disabled={columns.length === 0}
            onClick={() => columns[0] && set([...drafts, firstDraft(columns[0])])}
          >
            Add a condition
          </button>
        )}
        <button type="button" class="quiet" disabled={isJson && !drafts} onClick={() => setJson(!isJson)}>
          {isJson ? 'Edit in a form' : 'Edit as JSON'}
        </button>
      </div>
    </fieldset>
  );
}

function JsonField({
  value,
  fault,
  onValue,
}: {
  value: string;
  fault: string | undefined;
  onValue(text: string): void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Conditions as JSON</label>
      <textarea
        id={id}
        rows={4}
        spellcheck={false}
        value={value}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <Hint id={`${id}-hint`} fault={fault} meaning={`For example ${CONDITIONS_EXAMPLE}`} />
    </div>
  );
}

interface LineProps {
  /** From 1. */
  number: number;
  draft: Draft;
  columns: readonly ColumnReport[];
  fault: string | undefined;
  onDraft(draft: Draft): void;
  onRemove(): void;
}

const isTest = (value: string): value is Test => value in TESTS;

function ConditionLine({ number, draft, columns, fault, onDraft, onRemove }: LineProps) {
  const id = useId();
  const column = columns.find(({ name }) => name === draft.column);
  const names = column ? columns.map(({ name }) => name) : [draft.column, ...columns.map(({ name }) => name)];
  const choose = (name: string) => {
    const chosen = columns.find((one) => one.name === name);
    if (chosen) onDraft({ ...firstDraft(chosen), rows: draft.rows });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset within a fieldset would be read twice.
    <div class="condition" role="group" aria-label={`Condition ${number}`} aria-describedby={id}>
      <select aria-label="Column" value={draft.column} onChange={(event) => choose(event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label="Test"
        value={draft.test}
        onChange={({ currentTarget: { value } }) => isTest(value) && onDraft({ ...draft, test: value })}
      >
        {Object.entries(TESTS).map(([test, words]) => (
          <option key={test} value={test}>
            {words}
          </option>
        ))}
      </select>
      {draft.test === 'among' && (
        <Values
          values={draft.values}
          levels={column ? levelsOf(column) : []}
          onValues={(values) => onDraft({ ...draft, values })}
        />
      )}
      {draft.test === 'between' && (
        <span class="together">
          <Bound label="Lowest" value={draft.low} onValue={(low) => onDraft({ ...draft, low })} />
          and
          <Bound label="Highest" value={draft.high} onValue={(high) => onDraft({ ...draft, high })} />
        </span>
      )}
      <RowsField rows={draft.rows} onRows={(rows) => onDraft({ ...draft, rows })} />
      <button type="button" class="quiet" onClick={onRemove}>
        Remove<span class="hidden"> condition {number}</span>
      </button>
      <div id={id} class="fault small">
        {fault}
      </div>
    </div>
  );
}

const Bound = ({ label, value, onValue }: { label: string; value: string; onValue(value: string): void }) => (
  <input
    class="short"
    aria-label={label}
    placeholder="any"
    autocomplete="off"
    value={value}
    onInput={(event) => onValue(event.currentTarget.value)}
  />
);

interface ValuesProps {
  values: Draft['values'];
  levels: readonly string[];
  onValues(values: Draft['values']): void;
}

function Values({ values, levels, onValues }: ValuesProps) {
  const [typed, setTyped] = useState('');
  const id = useId();
  const add = () => {
    if (typed !== '' && !values.includes(typed)) onValues([...values, typed]);
    setTyped('');
  };
  return (
    <span class="together">
      {values.map((value, at) => (
        <button key={at} type="button" class="chip" onClick={() => onValues(values.filter((_, place) => place !== at))}>
          {value ?? 'missing'} <span aria-hidden="true">×</span>
          <span class="hidden"> (remove)</span>
        </button>
      ))}
      <input
        class="short"
        aria-label="Another value"
        list={id}
        autocomplete="off"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && add()}
      />
      <datalist id={id}>
        {levels.map((level) => (
          <option key={level} value={level} />
        ))}
      </datalist>
      <button type="button" disabled={typed === ''} onClick={add}>
        Add<span class="hidden"> value</span>
      </button>
    </span>
  );
}

function RowsField({ rows, onRows }: { rows: string | null; onRows(rows: string | null): void }) {
  return (
    <span class="together">
      <select
        aria-label="Rows that meet it"
        value={rows === null ? 'all' : 'some'}
        onChange={(event) => onRows(event.currentTarget.value === 'all' ? null : '')}
      >
        <option value="all">in all rows</option>
        <option value="some">in a number of rows</option>
      </select>
      {rows !== null && (
        <input
          class="short"
          aria-label="Number of rows"
          inputMode="numeric"
          value={rows}
          onInput={(event) => onRows(event.currentTarget.value)}
        />
      )}
    </span>
  );
}
