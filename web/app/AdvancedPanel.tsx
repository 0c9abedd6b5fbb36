import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { familyName } from '../../packages/words/format.ts';
import type { PageData } from '../logic/contract.ts';
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
  conditioned: readonly ColumnReport[];
  /** Why options were refused or the last job failed. */
  refused: PageProblem | undefined;
  isOpen: boolean;
  onOptions(options: Options): void;
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
              meaning="Rare categories can identify a person, so they are replaced. Tick to keep them."
              value={options.keepRare}
              refusal={said('keep_rare')}
              onValue={(keepRare) => onOptions({ ...options, keepRare })}
            />
            <TickField
              title="Cross-fit the attacks"
              meaning="Tests privacy on all rows: fits the models five more times, each time without a fifth of the rows, and attacks them with that fifth. Slower, but shows more for a small table. The table stays the same."
              value={options.crossFits}
              refusal={said('cross_fit')}
              onValue={(crossFits) => onOptions({ ...options, crossFits })}
            />
            <TickField
              title="Strict release policy"
              meaning="Copies of real rows and texts are replaced. If copying is still suspected, the download is blocked until someone approves it. The release policy of the service always applies."
              value={options.isStrict}
              refusal={said('policy')}
              onValue={(isStrict) => onOptions({ ...options, isStrict })}
            />
          </Group>
          {hasTarget && (
            <Group title="Model of the target">
              <ChoiceField
                title="Family"
                meaning="Distribution of the target given the other columns. auto compares the families that fit."
                choices={props.data.families}
                value={options.family}
                refusal={said('family')}
                onValue={(family) => onOptions({ ...options, family })}
              />
              {numbers(['draws', 'tune'])}
              <ChoiceField
                title="Sampler"
                meaning="auto: full sampling where feasible. nuts: always full sampling, may be slow. approximate: fast; falls back to sampling if a check fails."
                choices={props.data.samplers}
                value={options.sampler}
                refusal={said('sampler')}
                onValue={(sampler) => onOptions({ ...options, sampler })}
              />
              <TickField
                title="Calibrate the target"
                meaning="Match the real column’s distribution, including repeated values. Switch off to get raw model predictions."
                value={options.calibrate}
                refusal={said('calibrate')}
                onValue={(calibrate) => onOptions({ ...options, calibrate })}
              />
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

interface ChoiceProps<Choice extends string> {
  title: string;
  meaning: string;
  choices: readonly Choice[];
  value: Choice;
  refusal: string | undefined;
  onValue(value: Choice): void;
}

function ChoiceField<Choice extends string>({ title, meaning, choices, value, refusal, onValue }: ChoiceProps<Choice>) {
  const id = useId();
  const choose = (chosen: string) => {
    const found = choices.find((known) => known === chosen);
    if (found) onValue(found);
  };
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {familyName(choice)}
          </option>
        ))}
      </select>
      <Hint id={`${id}-hint`} fault={refusal} meaning={meaning} />
    </div>
  );
}
