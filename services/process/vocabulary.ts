/** The armed modes, in the order in which every list shows them (SPEC.md 2, DECISIONS.md "Lists"). Disarmed is not a mode. */
export const MODES = ['home', 'away', 'night', 'vacation'] as const;

/** The ways to reach a person, in the order in which another channel is tried when one fails for good. */
export const CHANNELS = ['text', 'call', 'email', 'push', 'webhook'] as const;

export type ChannelKind = (typeof CHANNELS)[number];

/** Matches a phone number in E.164: a plus sign and 8 to 15 digits. */
export const PHONE_NUMBER = /^\+[1-9][0-9]{7,14}$/;

/** Matches an email address as HTML forms take it (HTML "valid e-mail address"). */
export const EMAIL_ADDRESS =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** A kind of address: how it is described in the sentence "takes …", and whether a text is one. */
export interface AddressKind {
  takes: string;
  fits(text: string): boolean;
}

const phone: AddressKind = {
  takes: 'a phone number in E.164, such as +12025550111: a plus sign and 8 to 15 digits, no blanks',
  fits: text => PHONE_NUMBER.test(text),
};

export const email: AddressKind = {
  takes: 'an email address such as someone@example.com',
  fits: text => text.length <= 254 && EMAIL_ADDRESS.test(text),
};

/** The kind of address of each channel (DECISIONS.md "Contact"). Only the shape is checked: a drill shows whether it works. */
export const ADDRESSES: Readonly<Record<ChannelKind, AddressKind>> = {
  text: phone,
  call: phone,
  email,
  push: {
    takes: 'a topic of letters, digits, hyphens and underscores, or the https URL of a topic',
    fits: text => /^[A-Za-z0-9_-]{1,64}$/.test(text) || isHttpsUrl(text),
  },
  webhook: { takes: 'an https URL, at most 500 characters', fits: isHttpsUrl },
};

function isHttpsUrl(text: string): boolean {
  return /^https:\/\/[!-~]{1,492}$/.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
}
