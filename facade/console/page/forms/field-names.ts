import type { Words } from '../../words/types.ts';

type Names = Readonly<Record<string, string>>;

/**
 * What the fields of a thing are called where people set them, by their paths by proto JSON names, without places in lists. The
 * audit, the differences of a file, and what somebody else saved name fields by this table alone.
 */
const NAMES = {
  account: say => say.rest.settings.account.fields,
  location: say => {
    const { placeName, address, emergencyNumber, placeTest } = say.rest.alarms;
    return {
      key: say.first.fields.key,
      name: placeName,
      address,
      emergencyNumber,
      test: placeTest,
      testUntil: say.first.fields.testUntil,
    };
  },
  alarm: ofSource,
  panic_button: ofSource,
  contact: say => {
    const { name, locale, timeZone, voice, showNumber, channels, why } = say.rest.people.form;
    const { key, channel, address, verification } = say.first.fields;
    return {
      ...{ key, name, locale, timeZone, voice, showNumber, channels },
      'channels.channel': channel,
      'channels.address': address,
      'channels.disabledReason': why,
      'channels.verification': verification,
      chatLink: say.rest.people.connect.link,
      deviceLink: say.rest.people.devices.linkMade,
      deviceAdded: say.rest.people.devices.added,
      deviceRemoved: say.rest.people.devices.removed,
    };
  },
  duty: say => ({ key: say.first.fields.key, ...say.rest.duties.fields }),
  policy: say => {
    const { name, steps, repeat, repeatDelay, askAgain, delay } = say.rest.policies.form;
    const { key, contacts, contactId, channels } = say.first.fields;
    return {
      ...{ key, name, steps, repeat, repeatDelayS: repeatDelay, askAgainAfterS: askAgain },
      'steps.delayS': delay,
      'steps.contacts': contacts,
      'steps.contacts.contactId': contactId,
      'steps.contacts.dutyId': say.rest.duties.duty,
      'steps.contacts.channels': channels,
    };
  },
  api_key: say => {
    const { form, rotate, once } = say.rest.keys;
    const { key } = say.first.fields;
    return {
      ...{ key, label: form.label, alarmId: form.reach, secret: once.secret, overlapS: rotate.overlap },
      expiresAt: form.expires,
      lastDay: form.expires,
      lookUrl: form.lookUrl,
      supervisionS: form.supervision,
      onSilence: form.onSilence,
    };
  },
  token: say => ({
    label: say.rest.settings.tokens.label,
    expiresAt: say.rest.settings.tokens.endsAfter,
    signedInOn: say.rest.phone.signedInOn,
  }),
  member: say => {
    const { name, email, role } = say.rest.settings.members;
    return { name, email, role, signedInOn: say.rest.phone.signedInOn };
  },
} satisfies Record<string, (say: Words) => Names>;

function ofSource(say: Words): Names {
  const { fields, policy, mode, modeName, window, responseText } = say.rest.alarms;
  return {
    ...fields,
    key: say.first.fields.key,
    responseText,
    test: say.first.states.inTest,
    testUntil: say.first.fields.testUntil,
    'modes.id': mode,
    'modes.name': modeName,
    'modes.policyId': policy,
    'modes.windowS': window,
  };
}

export type Thing = keyof typeof NAMES;

/** What the lists of a file hold, as services/configuration/file/schema.ts has it (a test holds them together). */
export const SECTIONS_OF_FILE: Readonly<Record<string, Thing>> = {
  locations: 'location',
  contacts: 'contact',
  duties: 'duty',
  policies: 'policy',
  alarms: 'alarm',
  panicButtons: 'panic_button',
  apiKeys: 'api_key',
};

/** Returns what a field of a thing is called; null where nobody named it. */
export function nameOfField(say: Words, thing: string, path: string): string | null {
  const names: Names | undefined = Object.hasOwn(NAMES, thing) ? NAMES[thing as Thing](say) : undefined;
  return names !== undefined && Object.hasOwn(names, path) ? names[path]! : null;
}
