import { useId } from 'preact/hooks';
import { counted } from '../../packages/words/wording.ts';
import { entitiesFault, type Options } from '../logic/options.ts';
import type { ColumnReport } from '../logic/roles.ts';
import { Hint, InputField } from './Fields.tsx';

interface Props {
  columns: readonly ColumnReport[];
  options: Options;
  refusal(field: string): string | undefined;
  onOptions(next: Options): void;
}

export function EntityFields({ columns, options, refusal, onOptions }: Props) {
  const orders = columns.filter(({ format, name }) => format !== null && name !== options.entity);
  return (
    <>
      <ColumnSelect
        title="Do several rows describe the same person or thing?"
        meaning={`Choose the ID column if one customer, patient or device has several rows. Their history is then generated together. ${found(columns)}`}
        none="No, every row is separate"
        names={columns.map(({ name }) => name)}
        value={options.entity}
        refusal={refusal('entity_col')}
        onValue={(entity) => onOptions({ ...options, entity })}
      />
      {options.entity !== '' && (
        <>
          <ColumnSelect
            title="In the order of"
            meaning="A number, date or time."
            none="Their order in the file"
            names={orders.map(({ name }) => name)}
            value={options.order}
            refusal={refusal('order_col')}
            onValue={(order) => onOptions({ ...options, order })}
          />
          <EntitiesField
            typed={options.entities}
            refusal={refusal('n_entities')}
            onTyped={(entities) => onOptions({ ...options, entities })}
          />
        </>
      )}
    </>
  );
}

interface EntitiesProps {
  typed: string;
  refusal: string | undefined;
  onTyped(typed: string): void;
}

export function EntitiesField({ typed, refusal, onTyped }: EntitiesProps) {
  return (
    <InputField
      title="Entities to generate"
      meaning="Generates whole entities instead of a number of rows. Leave empty for a number of rows."
      kind="numeric"
      typed={typed}
      fault={entitiesFault(typed) ?? refusal}
      onTyped={onTyped}
    />
  );
}

function found(columns: readonly ColumnReport[]): string {
  const repeated = columns.find(({ key }) => key?.kind === 'repeated');
  if (!repeated?.key) return '';
  return `"${repeated.name}" has ${counted(repeated.key.keys, 'key')} in ${counted(repeated.key.rows, 'row')}.`;
}

interface SelectProps {
  title: string;
  meaning: string;
  none: string;
  names: readonly string[];
  value: string;
  refusal: string | undefined;
  onValue(value: string): void;
}

function ColumnSelect({ title, meaning, none, names, value, refusal, onValue }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <select id={id} aria-describedby={`${id}-hint`} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="" selected={value === ''}>
          {none}
        </option>
        {names.map((name) => (
          <option key={name} value={name} selected={name === value}>
            {name}
          </option>
        ))}
      </select>
      <Hint id={`${id}-hint`} fault={refusal} meaning={meaning} />
    </div>
  );
}
