import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Choice, Field } from '../../design/parts.tsx';
import { useDraft } from '../forms/draft.ts';
import { FormEnd, Met, Refused, useDoing } from '../forms/edit.tsx';
import { PreviewLine } from '../parts/preview.tsx';
import { spanOf } from '../parts/span.ts';
import { policies } from '../rpc/rpc-policies.ts';
import { wordsOf } from '../words.ts';
import { type Nameable, type PolicyEdit, planOf, type StepEdit } from './plan.ts';
import { byId } from './policies.ts';
import { SpanField } from './span-field.tsx';
import { StepFields } from './step-fields.tsx';

/** After how many seconds whoever acknowledged can be asked again; 0: never. */
const ASKS = [0, 900, 1800, 3600, 7200, 14_400];

/** How many further rounds can be chosen. */
const REPEATS = [0, 1, 2, 3, 4, 5];

/** What the edit of a policy is called, as in useDraft; of a new one by what it begins as. */
export function policyDraft({ id, name }: Pick<PolicyEdit, 'id' | 'name'>): string {
  return `policy ${id || `new ${name}`}`;
}

/** Shows a policy's form, beside what it would do. `onDone`: called with what was stored, or with null if cancelled. */
export function PolicyForm(on: { of: PolicyEdit; people: readonly Nameable[]; onDone(stored: Policy | null): void }) {
  const say = wordsOf('policies');
  const draft = useDraft(editOf(on.of), policyDraft(on.of));
  const doing = useDoing();
  const people = byId(on.people);
  const { value, set } = draft;
  const isNew = on.of.id === '';

  async function save() {
    let stored: Policy | undefined;
    const result = await doing.run(async () => {
      const { policy } = isNew
        ? await policies.createPolicy({ policy: value })
        : await policies.updatePolicy({ policy: value });
      stored = policy;
    });
    if (result !== 'done') return;
    draft.end();
    on.onDone(stored!);
  }

  const changeStep = (at: number, changes: Partial<StepEdit>) =>
    set({ steps: value.steps.map((step, index) => (index === at ? { ...step, ...changes } : step)) });

  return (
    <div class="split editing">
      <form
        class="card editor"
        noValidate
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <h1 dir="auto">{isNew ? say.form.new : say.form.edit(on.of.name)}</h1>
        <Met of={draft} doing={doing} thing="policy">
          {draft.met?.both.includes('steps') && (
            <details>
              <summary>{say.form.theirs}</summary>
              <PreviewLine of={planOf(draft.met.stored, people)} />
              <button type="button" class="button quiet" onClick={() => set({ steps: draft.met!.stored.steps })}>
                {say.form.takeTheirs}
              </button>
            </details>
          )}
        </Met>
        <Field
          label={say.form.name}
          name="name"
          required
          focus={isNew}
          value={value.name}
          wrong={doing.wrong('name')}
          onInput={name => set({ name })}
        />
        <fieldset>
          <legend>{say.form.steps}</legend>
          <ol class="ways">
            {value.steps.map((step, at) => (
              <StepFields
                // A step is its place: Mover brings the keyboard along.
                key={at}
                of={step}
                at={at}
                all={value.steps}
                people={on.people}
                wrong={doing.wrong}
                onChange={changes => changeStep(at, changes)}
                onOrder={steps => set({ steps })}
              />
            ))}
          </ol>
          {doing.wrong('steps') !== null && (
            <p class="wrong" role="alert">
              {doing.wrong('steps')}
            </p>
          )}
          <div class="do">
            <button
              type="button"
              name={value.steps.length === 0 ? 'nobody' : undefined}
              class="button quiet small"
              onClick={() => set({ steps: [...value.steps, { delayS: 300, contacts: [] }] })}
            >
              {say.form.addStep}
            </button>
          </div>
        </fieldset>
        <div class="two">
          <Choice
            label={say.form.repeat}
            name="repeat"
            value={String(value.repeat)}
            options={REPEATS.map(count => [String(count), say.form.repeats(count)] as const)}
            onChoose={repeat => set({ repeat: Number(repeat) })}
          />
          {value.repeat > 0 && (
            <SpanField
              label={say.form.repeatDelay}
              name="repeatDelayS"
              seconds={value.repeatDelayS}
              wrong={doing.wrong('repeatDelayS')}
              onChange={repeatDelayS => set({ repeatDelayS })}
            />
          )}
        </div>
        <Choice
          label={say.form.askAgain}
          name="askAgainAfterS"
          value={String(value.askAgainAfterS)}
          options={[...new Set([...ASKS, value.askAgainAfterS])]
            .sort((one, other) => one - other)
            .map(
              seconds =>
                [String(seconds), seconds === 0 ? say.form.askNever : say.form.askAfter(spanOf(seconds))] as const,
            )}
          hint={say.form.askAgainHint}
          onChoose={seconds => set({ askAgainAfterS: Number(seconds) })}
        />
        <Refused on={doing} shown={shownFields(value)} />
        {!isNew && <p class="soft small">{say.form.running}</p>}
        <FormEnd
          on={doing}
          onCancel={() => {
            draft.end();
            on.onDone(null);
          }}
        >
          {isNew ? say.form.create : undefined}
        </FormEnd>
      </form>
      <section class="stack beside">
        <h2>{say.preview}</h2>
        <div class="card plan">
          <PreviewLine of={planOf(value, people)} />
        </div>
      </section>
    </div>
  );
}

/** The names of the fields in the form. */
/** The fields that show their own refusals. */
function shownFields({ steps }: PolicyEdit): string[] {
  const ofSteps = steps.flatMap(({ contacts }, at) => [
    `steps[${at}].delayS`,
    `steps[${at}].contacts`,
    ...contacts.flatMap((_, nth) =>
      ['channels', 'contactId', 'dutyId'].map(field => `steps[${at}].contacts[${nth}].${field}`),
    ),
  ]);
  return ['name', 'steps', 'repeatDelayS', ...ofSteps];
}

function editOf({ id, key, version, name, steps, repeat, repeatDelayS, askAgainAfterS }: PolicyEdit): PolicyEdit {
  const plain = steps.map(({ delayS, contacts }) => ({
    delayS,
    contacts: contacts.map(({ contactId, dutyId, channels }) => ({ contactId, dutyId, channels: [...channels] })),
  }));
  return { id, key, version, name, steps: plain, repeat, repeatDelayS, askAgainAfterS };
}
