import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import { type Contact, type ContactChannel, ContactSchema } from '../../../gen/tocsin/console/v1/contacts_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { CHANNELS, type ChannelKind } from '../../../services/process/vocabulary.ts';
import { type ChannelFlags, touchesChannels, withChannels } from '../channels.ts';
import { eitherOr, keyFlag, nameFlag, repeated, switchedOn } from '../flags.ts';
import type { Io } from '../io.ts';
import { addResource } from '../resource.ts';
import type { Act } from '../session.ts';
import { facts } from '../table.ts';
import { time } from '../text.ts';
import { verifyLines } from '../verify.ts';
import { addDevices } from './contacts-devices.ts';
import { addLink } from './contacts-link.ts';
import { addVerify } from './contacts-verify.ts';

interface Options extends Partial<Record<ChannelKind, string | string[]>> {
  name?: string;
  key?: string;
  locale?: string;
  timeZone?: string;
  voice?: string;
  showNumber?: true;
  hideNumber?: true;
  remove?: string[];
  pause?: string[];
  resume?: string[];
}

/** `tocsin contacts`: people who can be alerted (DECISIONS.md "Contact"). */
export function addContacts(program: Command, act: Act): void {
  const contacts = addResource(program, act, {
    one: 'contact',
    command: 'contacts',
    member: 'contact',
    schema: ContactSchema,
    example: 'anna',
    createExample: '--name Anna --email anna@example.com --text +12025550111 --call +12025550111',
    updateExample: 'anna --email anna@example.org --pause text="on holiday"',
    first: 'contacts create --name Anna --email anna@example.com',
    columns: [
      ['key', ({ key }) => key],
      ['name', ({ name }) => name],
      ['channels', ({ channels }) => channels.map(brief).join(' ')],
      ['locale', ({ locale }) => locale],
      ['time zone', ({ timeZone }) => timeZone],
      ['id', ({ id }) => id],
    ],
    lines,
    left: verifyLines,
    flags,
    created: (options: Options, { timeZone }: Io) => ({
      fields: {
        name: options.name!,
        key: options.key ?? '',
        locale: options.locale ?? '',
        timeZone: options.timeZone ?? timeZone,
        voice: options.voice ?? '',
        showNumber: switchedOn(options.showNumber, options.hideNumber) ?? false,
        channels: withChannels([], channelFlags(options)),
      },
      notes:
        options.timeZone === undefined && timeZone !== ''
          ? [`Their times are written for ${timeZone}, as on this machine: --time-zone changes it.`]
          : [],
    }),
    changed: (options, read) => ({
      name: options.name,
      key: options.key,
      locale: options.locale,
      timeZone: options.timeZone,
      voice: options.voice,
      showNumber: switchedOn(options.showNumber, options.hideNumber),
      channels:
        touchesChannels(channelFlags(options)) === 'touched'
          ? withChannels(read.channels, channelFlags(options))
          : undefined,
    }),
    get: async (rpc, contactId) => (await rpc.contacts.getContact({ contactId })).contact!,
    async list(rpc, page) {
      const { contacts, nextPageToken } = await rpc.contacts.listContacts(page);
      return { items: contacts, nextPageToken };
    },
    async create(rpc, fields) {
      const { contact, findings } = await rpc.contacts.createContact({ contact: fields });
      return { thing: contact!, findings };
    },
    async update(rpc, wanted, paths) {
      const answer = await rpc.contacts.updateContact({ contact: wanted, updateMask: { paths } });
      return { thing: answer.contact!, findings: answer.findings };
    },
    remove: (rpc, contactId, version) => rpc.contacts.deleteContact({ contactId, version }),
  });
  addVerify(contacts, act);
  addLink(contacts, act);
  addDevices(contacts, act);
}

/** Options keep the order of their flags: that is the order of a new contact's channels. */
function channelFlags(options: Options): ChannelFlags {
  const addresses = Object.entries(options).flatMap(([name, given]) =>
    CHANNELS.includes(name as ChannelKind) ? [given].flat().map(address => [name, address]) : [],
  );
  const { remove: removed = [], pause: paused = [], resume: resumed = [] } = options;
  return { addresses: addresses as [ChannelKind, string][], removed, paused, resumed };
}

function flags(command: Command, use: 'create' | 'update'): Command {
  nameFlag(command, use)
    .addOption(keyFlag())
    .option('--text <number>', 'phone number for texts, such as +12025550111')
    .option('--call <number>', 'phone number for calls, such as +12025550111')
    .option('--email <address>', 'email address')
    .addOption(
      repeated(
        '--push <topic>',
        'push topic, https URL of one, or pushover: and a user key; up to four, the first first',
      ),
    )
    .addOption(
      repeated(
        '--chat <person>',
        'telegram: and their id at Telegram (or take the link of contacts link), or signal: and their number; up to four',
      ),
    )
    .option('--webhook <url>', 'https URL')
    .option('--locale <tag>', 'language of their messages, such as en or de-AT (en)')
    .option('--time-zone <zone>', 'time zone in which they read times, such as Europe/Vienna (that of this machine)')
    .option('--voice <voice>', "the carrier's name of the voice that speaks calls to them, such as Polly.Vicki");
  eitherOr(
    command,
    ['--show-number', 'those alerted beside them can call them from their page, and so see their number'],
    ['--hide-number', 'their number is shown to nobody (how a new contact begins)'],
  );
  if (use === 'create') {
    const order = 'When one channel fails, the others are tried in the order in which their flags stand here.';
    return command.addHelpText('after', `\n${order}`);
  }
  return command
    .addOption(repeated('--remove <channel>', 'takes a channel away'))
    .addOption(repeated('--pause <channel=reason>', 'does not use a channel for now'))
    .addOption(repeated('--resume <channel>', 'uses it again'));
}

function brief({ channel, disabledReason }: ContactChannel): string {
  return disabledReason === '' ? channel : `(${channel})`;
}

function lines(contact: Contact): string[] {
  return [
    ...facts([
      ['Name', contact.name],
      ['Key', contact.key],
      ['Id', contact.id],
      ['Locale', contact.locale],
      ['Time zone', contact.timeZone],
      ['Voice', contact.voice],
      ['Number', contact.showNumber === true ? 'shown to those alerted beside them' : ''],
      ['Version', String(contact.version)],
    ]),
    ...(contact.channels.length === 0 ? ['  no channel: nobody is reached'] : contact.channels.map(channelLine)),
  ];
}

/** What else keeps live alerts from an address, besides what its owner or a code settles. */
const NOT_REACHED: Readonly<Record<string, string>> = {
  plan_required: 'not in the plan',
  no_carrier: 'no carrier is set up',
};

function channelLine(of: ContactChannel): string {
  const { channel, address, disabledReason, verifiedAt, lastDeliveredAt, provenAt, reach } = of;
  const said = [
    ...(disabledReason === '' ? [] : [`not used: ${clean(disabledReason)}`]),
    verifiedAt === undefined ? 'not verified' : `verified ${time(timestampDate(verifiedAt))}`,
    ...(NOT_REACHED[reach] === undefined ? [] : [NOT_REACHED[reach]]),
    ...(lastDeliveredAt === undefined ? [] : [`last delivered ${time(timestampDate(lastDeliveredAt))}`]),
    ...(provenAt === undefined ? [] : [`proven ${time(timestampDate(provenAt))}`]),
  ];
  return `  ${channel} ${clean(address)} (${said.join(', ')})`;
}
