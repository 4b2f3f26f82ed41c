import { useState } from 'preact/hooks';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Dialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/parts.tsx';
import { Refused, useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { readAll } from '../rpc/pages.ts';
import { incidents, READ } from '../rpc/rpc.ts';
import { contacts } from '../rpc/rpc-people.ts';
import { words, wordsOf } from '../words.ts';

/** The longest note, in characters. */
const NOTE_LENGTH = 500;

interface Asked {
  of: Incident;
  onDone(outcome: string): void;
  onClose(): void;
}

/** Writes a note in the timeline. */
export function Note({ of, onDone, onClose }: Asked) {
  const say = words().incident.goOn;
  const more = wordsOf('goingOn');
  const [text, setText] = useState('');
  const doing = useDoing();
  const submit = (event: Event) => {
    event.preventDefault();
    void doing.run(async () => onDone((await incidents.addNote({ incidentId: of.id, text })).outcome));
  };
  return (
    <Dialog title={say.note} onClose={onClose}>
      <form onSubmit={submit}>
        <Field label={more.noteField} name="note" value={text} required wrong={doing.wrong('text')} onInput={setText} />
        <Refused on={doing} shown={['text']} />
        <div class="choices">
          <button type="submit" class="button" disabled={doing.is === 'working' || text.length > NOTE_LENGTH}>
            {more.noteSave}
          </button>
          <button type="button" class="button quiet" onClick={onClose}>
            {words().cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Hands over to somebody else. */
export function HandOver({ of, onDone, onClose }: Asked) {
  const say = words().incident.goOn;
  const more = wordsOf('goingOn');
  const people = useQuery('people to hand over to', readPeople);
  const [chosen, choose] = useState('');
  const doing = useDoing();
  const contactId = chosen || (people.data?.[0]?.id ?? '');
  const submit = (event: Event) => {
    event.preventDefault();
    void doing.run(async () => onDone((await incidents.handOver({ incidentId: of.id, contactId })).outcome));
  };
  return (
    <Dialog title={say.handOver} onClose={onClose}>
      <form onSubmit={submit}>
        <p class="soft">{more.handOverText}</p>
        <Choice
          label={more.handOverTo}
          name="contact"
          value={contactId}
          options={(people.data ?? []).map(({ id, name }) => [id, name] as const)}
          onChoose={choose}
        />
        <Refused on={doing} />
        <div class="choices">
          <button type="submit" class="button" disabled={doing.is === 'working' || contactId === ''}>
            {say.handOver}
          </button>
          <button type="button" class="button quiet" onClick={onClose}>
            {words().cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

async function readPeople() {
  return readAll(async page => {
    const { contacts: people, nextPageToken } = await contacts.listContacts(page, READ);
    return [people, nextPageToken];
  });
}
