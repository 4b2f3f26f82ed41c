import type { ChannelKind } from '../../../domain/delivery.ts';
import { MODES, type ModeId } from '../../../domain/mode.ts';
import type { Thing } from '../types.ts';

/** A thing as a sentence takes it: as what there is not, as the subject, as whom something belongs to, as whose it is. */
interface Cases {
  no: string;
  this: string;
  another: string;
  one: string;
}

/** The names of things within a sentence. */
export const THINGS: Readonly<Record<Thing, Cases>> = {
  account: { no: 'Dieses Konto', this: 'Dieses Konto', another: 'einem anderen Konto', one: 'eines Kontos' },
  alarm: { no: 'Diesen Alarm', this: 'Dieser Alarm', another: 'einem anderen Alarm', one: 'eines Alarms' },
  api_key: {
    no: 'Diesen API-Schlüssel',
    this: 'Dieser API-Schlüssel',
    another: 'einem anderen API-Schlüssel',
    one: 'eines API-Schlüssels',
  },
  contact: { no: 'Diese Person', this: 'Diese Person', another: 'einer anderen Person', one: 'einer Person' },
  incident: { no: 'Diesen Vorfall', this: 'Dieser Vorfall', another: 'einem anderen Vorfall', one: 'eines Vorfalls' },
  location: { no: 'Diesen Ort', this: 'Dieser Ort', another: 'einem anderen Ort', one: 'eines Ortes' },
  member: { no: 'Dieses Mitglied', this: 'Dieses Mitglied', another: 'einem anderen Mitglied', one: 'eines Mitglieds' },
  panic_button: {
    no: 'Diesen Notrufknopf',
    this: 'Dieser Notrufknopf',
    another: 'einem anderen Notrufknopf',
    one: 'eines Notrufknopfs',
  },
  policy: {
    no: 'Diesen Alarmplan',
    this: 'Dieser Alarmplan',
    another: 'einem anderen Alarmplan',
    one: 'eines Alarmplans',
  },
  source: {
    no: 'Diesen Alarm oder Notrufknopf',
    this: 'Dieser Alarm oder Notrufknopf',
    another: 'einem anderen Alarm oder Notrufknopf',
    one: 'eines Alarms oder Notrufknopfs',
  },
  token: { no: 'Dieses Token', this: 'Dieses Token', another: 'einem anderen Token', one: 'eines Tokens' },
};

/** How things that use another one are called in a list. */
export const KINDS: Readonly<Record<string, string>> = {
  alarm: 'Alarm',
  api_key: 'API-Schlüssel',
  contact: 'Person',
  location: 'Ort',
  panic_button: 'Notrufknopf',
  policy: 'Alarmplan',
  token: 'Konsolen-Token',
};

const CHANNELS: Readonly<Record<ChannelKind, string>> = {
  text: 'SMS',
  call: 'Anruf',
  email: 'E-Mail',
  push: 'Push',
  webhook: 'Webhook',
};

/** Names a channel, by its word. */
export function channelName(channel: string): string {
  return CHANNELS[channel as ChannelKind] ?? channel;
}

const MODE_NAMES: Readonly<Record<ModeId, string>> = {
  home: 'Zuhause',
  away: 'Abwesend',
  night: 'Nacht',
  vacation: 'Urlaub',
};

/** Names a mode, by its word. */
export function modeName(mode: string): string {
  return MODES.find(one => one === mode) === undefined ? mode : MODE_NAMES[mode as ModeId];
}

/** Joins words as a sentence lists them. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} und ${words.at(-1)}`;
}
