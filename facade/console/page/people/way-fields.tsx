import { Field } from '../../design/parts.tsx';
import { Reorder } from '../forms/reorder.tsx';
import { words, wordsOf } from '../words.ts';
import { plain, type WayEdit } from './edit.ts';
import { CHANNELS, nthOf } from './reach.ts';

const TYPES: Readonly<Record<string, 'tel' | 'email' | 'url' | 'text'>> = {
  text: 'tel',
  call: 'tel',
  email: 'email',
  webhook: 'url',
};

/** Edits one address of a contact. `stored`: those that its channel has until it is saved. */
export function WayFields(props: {
  of: WayEdit;
  at: number;
  count: number;
  stored: readonly string[];
  wrong: string | null;
  all: readonly WayEdit[];
  onChange(changes: Partial<WayEdit>): void;
  onOrder(all: WayEdit[]): void;
}) {
  const say = wordsOf('people').form;
  const { channel, address, disabledReason, use } = props.of;
  const nth = nthOf(props.all, props.at);
  const name = (words().incident.channels[channel] ?? channel) + nth;
  const isRenewed = props.stored.length > 0 && !props.stored.includes(plain(channel, address)) && channel !== 'webhook';
  const isUsed = use === 'used';
  return (
    <li>
      <Field
        label={(say.addresses[channel] ?? channel) + nth}
        name={`channels[${props.at}].address`}
        type={TYPES[channel] ?? 'text'}
        value={address}
        wrong={props.wrong}
        hint={isRenewed ? say.renewed : (say.hints[channel] ?? '')}
        onInput={address => props.onChange({ address })}
      />
      <div class="do">
        <label class="check">
          <input
            type="checkbox"
            checked={isUsed}
            onChange={() => props.onChange({ use: isUsed ? 'not_used' : 'used' })}
          />
          {say.use}
        </label>
        <Reorder all={props.all} at={props.at} name={name} group="ways" onMove={props.onOrder} />
        <button
          type="button"
          class="button bare"
          aria-label={`${words().remove}: ${name}`}
          onClick={() => props.onOrder(props.all.filter((_, index) => index !== props.at))}
        >
          {words().remove}
        </button>
      </div>
      {!isUsed && (
        <Field
          label={say.why}
          name={`channels[${props.at}].disabledReason`}
          value={disabledReason}
          onInput={disabledReason => props.onChange({ disabledReason })}
        />
      )}
    </li>
  );
}

/** Shows buttons for the channels of which a contact may have an address more. */
export function Adding({ to, onAdd }: { to: readonly WayEdit[]; onAdd(way: WayEdit): void }) {
  const room = (channel: string) => (channel === 'push' || channel === 'chat' ? 4 : 1);
  const missing = CHANNELS.filter(one => to.filter(({ channel }) => channel === one).length < room(one));
  if (missing.length === 0) return null;
  return (
    <div class="do">
      <span class="soft small">{wordsOf('people').form.addWay}</span>
      {missing.map(channel => (
        <button
          key={channel}
          type="button"
          name={channel}
          class="button quiet small"
          onClick={() => onAdd({ channel, address: '', disabledReason: '', use: 'used' })}
        >
          {words().incident.channels[channel]}
        </button>
      ))}
    </div>
  );
}
