import { timestampDate } from '@bufbuild/protobuf/wkt';
import { useState } from 'preact/hooks';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty, DutyShift } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { Dialog } from '../../design/dialog.tsx';
import { Segments } from '../../design/fields.tsx';
import { Choice, Field } from '../../design/parts.tsx';
import { FormEnd, Refused, useDoing } from '../forms/edit.tsx';
import { duties } from '../rpc/rpc-policies.ts';
import { words, wordsOf } from '../words.ts';
import { CoverForm } from './cover.tsx';
import { becauseOf, isSameOnDuty, namesIn, spanOfShift } from './say.ts';
import { useShifts } from './shifts.ts';

/** How far ahead the other shift of a swap may be, in days. */
const SWAP_DAYS = 60;

interface Of {
  duty: Duty;
  people: readonly Contact[];
  zone: string;
  /** Called with the duty as it is then; with null where nothing was done. */
  onDone(changed: Duty | null): void;
}

/** Lets somebody else cover a shift, or exchanges it for another one. */
export function ChangeShift(on: Of & { shift: DutyShift }) {
  const say = wordsOf('duties');
  const [what, choose] = useState<'cover' | 'swap'>('cover');
  const { shift, zone } = on;
  return (
    <Dialog title={namesIn(shift.contacts)} onClose={() => on.onDone(null)}>
      <p class="soft figures" dir="auto">{`${spanOfShift(shift, zone)} · ${becauseOf(shift)}`}</p>
      <Segments
        label={say.change.what}
        name="what"
        value={what}
        options={[
          ['cover', say.change.cover],
          ['swap', say.change.swap],
        ]}
        onChoose={to => choose(to === 'swap' ? 'swap' : 'cover')}
      />
      {what === 'cover' ? <CoverForm {...on} /> : <SwapForm {...on} />}
    </Dialog>
  );
}

function SwapForm({ duty, shift, zone, onDone }: Of & { shift: DutyShift }) {
  const say = wordsOf('duties').change;
  const doing = useDoing();
  const found = useShifts(duty, SWAP_DAYS);
  const [other, choose] = useState('');
  const [note, write] = useState('');
  if (found.data === null) return <p class="soft">{words().loading}</p>;
  const others = found.data.filter(one => one.until !== undefined && !isSameOnDuty(one, shift));
  if (shift.until === undefined || others.length === 0) {
    return (
      <>
        <p class="notice">{shift.until === undefined ? say.neverEnds : say.noOther}</p>
        <div class="choices">
          <button type="button" class="button quiet" onClick={() => onDone(null)}>
            {words().cancel}
          </button>
        </div>
      </>
    );
  }

  async function swap() {
    const chosen = others.find(one => keyOf(one) === other);
    let changed: Duty | undefined;
    const result = await doing.run(async () => {
      const times = { ...(shift.from && { at: shift.from }), ...(chosen?.from && { withAt: chosen.from }) };
      changed = (await duties.swap({ dutyId: duty.id, note, ...times })).duty;
    });
    if (result === 'done') onDone(changed!);
  }

  return (
    <form
      class="changing"
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void swap();
      }}
    >
      <Choice
        label={say.with}
        name="with"
        value={other}
        options={[
          ['', wordsOf('policies').form.choose],
          ...others.map(one => [keyOf(one), `${namesIn(one.contacts)} · ${spanOfShift(one, zone)}`] as const),
        ]}
        hint={say.swapHint}
        wrong={doing.wrong('withAt')}
        onChoose={choose}
      />
      <Field label={say.note} name="note" value={note} wrong={doing.wrong('note')} onInput={write} />
      <Refused on={doing} shown={['withAt', 'note']} />
      <FormEnd on={doing} onCancel={() => onDone(null)}>
        {say.doSwap}
      </FormEnd>
    </form>
  );
}

function keyOf({ from }: DutyShift): string {
  return from === undefined ? '' : timestampDate(from).toISOString();
}
