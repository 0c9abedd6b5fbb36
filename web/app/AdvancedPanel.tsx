/** Options that most tables need none of, in groups; those that the roles make pointless are not shown. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { familyName } from '../../packages/words/format.ts';
import type { FamilyName, PageData } from '../logic/contract.ts';
import { callbackFault, type NumberOption, type Options } from '../logic/options.ts';
import type { ColumnReport } from '../logic/roles.ts';
import { ConditionsField } from './ConditionsField.tsx';
import { Hint, InputField, NumberField, TickField } from './Fields.tsx';
import { type PageProblem, saidOf } from './service.ts';

interface Props {
  data: PageData;
  options: Options;
  hasTarget: boolean;
  hasText: boolean;
  /** Those that a condition can be on. */
  conditioned: readonly ColumnReport[];
  /** Why the service refused the options, or why the job failed with those before. */
  refused: PageProblem | undefined;
  /** Whether it is open at first. */
  isOpen: boolean;
  onOptions(options: Options): void;
  /** Below the options of the target's model. */
  children: ComponentChildren;
}

export function AdvancedPanel(props: Props) {
  const { options, hasTarget, hasText, conditioned, refused, onOptions, children } = props;
  const [isOpen, setOpen] = useState(props.isOpen);
  const said = (name: string) => saidOf(refused, name);
  const numbers = (names: readonly NumberOption[]) =>
    names.map((name) => (
      <NumberField
        key={name}
        name={name}
        data={props.data}
        typed={options.numbers[name]}
        refusal={said(name)}
        onTyped={(typed) => onOptions({ ...options, numbers: { ...options.numbers, [name]: typed } })}
      />
    ));
  return (
    <details class="advanced" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Advanced</summary>
      {isOpen && (
        <>
          <Group title="Rows">
            {numbers(['seed'])}
            <ConditionsField
              value={options.conditions}
              columns={conditioned}
              refused={refused}
              onValue={(conditions) => onOptions({ ...options, conditions })}
            />
          </Group>
          <Group title="Privacy">
            <TickField
              title="Keep rare categories"
              meaning="Categories that only a few rows have can identify a person. Unless you select this, they are replaced by others."
              value={options.keepRare}
              refusal={said('keep_rare')}
              onValue={(keepRare) => onOptions({ ...options, keepRare })}
            />
            <TickField
              title="Strict release policy"
              meaning="Copies of real rows and texts are redrawn. If evidence of copying remains, the rows are withheld until they are released. The release policy of the service applies in any case."
              value={options.isStrict}
              refusal={said('policy')}
              onValue={(isStrict) => onOptions({ ...options, isStrict })}
            />
          </Group>
          {hasTarget && (
            <Group title="Model of the target">
              <FamilyField
                families={props.data.families}
                value={options.family}
                refusal={said('family')}
                onFamily={(family) => onOptions({ ...options, family })}
              />
              {numbers(['draws', 'tune'])}
            </Group>
          )}
          {hasTarget && children}
          {hasText && <Group title="Texts">{numbers(['text_epochs', 'text_temperature', 'text_nucleus'])}</Group>}
          <Group title="When it is done">
            <InputField
              title="Webhook URL"
              meaning="An https address that gets a signed POST when the job ends. Optional."
              kind="url"
              typed={options.callback}
              fault={callbackFault(options.callback) ?? said('callback_url')}
              onTyped={(callback) => onOptions({ ...options, callback })}
            />
          </Group>
        </>
      )}
    </details>
  );
}

const Group = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <fieldset class="group">
    <legend>{title}</legend>
    <div class="options">{children}</div>
  </fieldset>
);

interface FamilyFieldProps {
  families: readonly FamilyName[];
  value: FamilyName;
  refusal: string | undefined;
  onFamily(family: FamilyName): void;
}

function FamilyField({ families, value, refusal, onFamily }: FamilyFieldProps) {
  const id = useId();
  const choose = (chosen: string) => {
    const family = families.find((known) => known === chosen);
    if (family) onFamily(family);
  };
  return (
    <div class="field">
      <label for={id}>Family</label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {families.map((family) => (
          <option key={family} value={family}>
            {familyName(family)}
          </option>
        ))}
      </select>
      <Hint
        id={`${id}-hint`}
        fault={refusal}
        meaning="Distribution of the target given the other columns. auto compares the families that fit."
      />
    </div>
  );
}
