import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Toggle } from '../../design/fields.tsx';
import { Choice, Field } from '../../design/parts.tsx';
import { useDraft } from '../forms/draft.ts';
import { FormEnd, Met, Refused, useDoing } from '../forms/edit.tsx';
import { contacts } from '../rpc/rpc-people.ts';
import { wordsOf } from '../words.ts';
import { editOf, type PersonEdit, personDraft, storedAs, type WayEdit } from './edit.ts';
import { languageName } from './people.ts';
import { nthOf } from './reach.ts';
import { Adding, WayFields } from './way-fields.tsx';

/** Languages in which messages are written. */
const LANGUAGES = ['en', 'de'];

/** Shows a contact's form. `onDone`: called with what was stored, or with null if cancelled. */
export function PersonForm({ of, onDone }: { of: PersonEdit; onDone(stored: Contact | null): void }) {
  const say = wordsOf('people').form;
  const draft = useDraft(editOf(of), personDraft(of.id));
  const doing = useDoing();
  const { value, set } = draft;
  const isNew = of.id === '';

  async function save() {
    let stored: Contact | undefined;
    const result = await doing.run(async () => {
      const { contact } = isNew
        ? await contacts.createContact({ contact: storedAs(value) })
        : await contacts.updateContact({ contact: storedAs(value) });
      stored = contact;
    });
    if (result !== 'done') return;
    draft.end();
    onDone(stored!);
  }

  const changeWay = (at: number, changes: Partial<WayEdit>) =>
    set(({ channels }) => ({
      channels: channels.map((way, index) => (index === at ? { ...way, ...changes } : way)),
    }));
  const shown = [
    'name',
    'locale',
    'timeZone',
    'voice',
    'showNumber',
    ...value.channels.map((_, at) => `channels[${at}].address`),
  ];
  const languages = [...new Set([...LANGUAGES, of.locale || 'en'])];

  return (
    <form
      class="card editor"
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <h1 dir="auto">{isNew ? say.new : say.edit(of.name)}</h1>
      <Met of={draft} doing={doing} thing="contact" />
      <Field
        label={say.name}
        name="name"
        required
        focus={isNew}
        value={value.name}
        wrong={doing.wrong('name')}
        onInput={name => set({ name })}
      />
      <div class="two">
        <Choice
          label={say.locale}
          value={value.locale || 'en'}
          options={languages.map(locale => [locale, languageName(locale)] as const)}
          onChoose={locale => set({ locale })}
        />
        <Field
          label={say.timeZone}
          name="timeZone"
          value={value.timeZone}
          hint={say.timeZoneHint}
          suggestions={Intl.supportedValuesOf('timeZone')}
          wrong={doing.wrong('timeZone')}
          onInput={timeZone => set({ timeZone })}
        />
      </div>
      <fieldset id="ways">
        <legend>{say.channels}</legend>
        {value.channels.length > 1 && <p class="soft small">{wordsOf('people').order}</p>}
        <ol class="ways">
          {value.channels.map((way, at) => (
            <WayFields
              key={way.channel + nthOf(value.channels, at)}
              of={way}
              at={at}
              count={value.channels.length}
              stored={of.channels.filter(({ channel }) => channel === way.channel).map(({ address }) => address)}
              wrong={doing.wrong(`channels[${at}].address`)}
              onChange={changes => changeWay(at, changes)}
              onOrder={channels => set({ channels })}
              all={value.channels}
            />
          ))}
        </ol>
        <Adding to={value.channels} onAdd={way => set({ channels: [...value.channels, way] })} />
      </fieldset>
      <Toggle
        id="show-number"
        label={say.showNumber}
        text={say.showNumberText}
        value={value.showNumber}
        wrong={doing.wrong('showNumber')}
        onChange={showNumber => set({ showNumber })}
      />
      <details open={doing.wrong('voice') !== null}>
        <summary>{say.further}</summary>
        <Field
          label={say.voice}
          name="voice"
          value={value.voice}
          hint={say.voiceHint}
          wrong={doing.wrong('voice')}
          onInput={voice => set({ voice })}
        />
      </details>
      <Refused on={doing} shown={shown} />
      <FormEnd
        on={doing}
        onCancel={() => {
          draft.end();
          onDone(null);
        }}
      >
        {isNew ? say.create : undefined}
      </FormEnd>
    </form>
  );
}
