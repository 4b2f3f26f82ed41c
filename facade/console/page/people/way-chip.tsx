import type { ContactChannel } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Chip, type Tone } from '../../design/parts.tsx';
import { words, wordsOf } from '../words.ts';
import { type Reach, reachOf } from './reach.ts';

const TONES: Readonly<Record<Reach, Tone>> = {
  reached: 'good',
  not_verified: 'warn',
  no_carrier: 'warn',
  disabled: 'off',
};

/** A way to reach somebody, and whether alerts go there. `short`: by the name of its channel where all is well. */
export function WayChip(on: { of: ContactChannel; carriers: ReadonlySet<string> | null; short?: true }) {
  const reach = reachOf(on.of, on.carriers);
  const said = wordsOf('people').reach[reach];
  const name = words().incident.channels[on.of.channel] ?? on.of.channel;
  const text = on.short === undefined ? said : reach === 'reached' ? name : `${name}: ${said}`;
  return <Chip tone={TONES[reach]}>{text}</Chip>;
}
