import type { ContactChannel } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Chip, type Tone } from '../../design/parts.tsx';
import { words, wordsOf } from '../words.ts';

/** All else is a warning. */
const TONES: Readonly<Record<string, Tone>> = { goes: 'good', disabled: 'off' };

/** Shows a channel, and whether alerts go over it. `short`: only the channel's name if all is well. */
export function WayChip(props: { of: ContactChannel; short?: true }) {
  const { channel, reach } = props.of;
  const said = wordsOf('people').reach[reach] ?? reach;
  const name = words().incident.channels[channel] ?? channel;
  const text = props.short === undefined ? said : reach === 'goes' ? name : `${name}: ${said}`;
  return <Chip tone={TONES[reach] ?? 'warn'}>{text}</Chip>;
}
