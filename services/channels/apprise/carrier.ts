import { type Environment, readSetting, webUrl } from '../../process/settings.ts';
import { APPRISE_PREFIX } from '../../process/vocabulary.ts';
import type { Carrier } from '../carrier.ts';
import { type AppriseSettings, createAppriseChannel } from './send.ts';

/** Chat messages through an Apprise server, to whatever its operator has put behind a key: Matrix, Signal, Slack and a hundred others. */
export const apprise = {
  name: 'apprise',
  title: { en: 'Apprise', de: 'Apprise' },
  about: {
    en: 'Messages to Matrix, Signal, Slack, Discord and a hundred others, through an Apprise server of yours. They carry a link, and no button.',
    de: 'Nachrichten an Matrix, Signal, Slack, Discord und hundert andere, über einen eigenen Apprise-Server. Sie haben einen Link, aber keinen Knopf.',
  },
  settings: [
    {
      name: 'APPRISE_URL',
      asked: 'needed',
      holds: 'text',
      leads: 'elsewhere',
      label: { en: 'Address of the Apprise server', de: 'Adresse des Apprise-Servers' },
      hint: {
        en: 'Such as http://apprise:8000. What is behind each key is set up there.',
        de: 'Etwa http://apprise:8000. Was hinter jedem Schlüssel steht, wird dort eingerichtet.',
      },
    },
  ],
  carries: ['chat'],
  hint: 'APPRISE_URL',
  prefix: APPRISE_PREFIX,
  read: readApprise,
  open: (_kind, settings, { log }) => createAppriseChannel({ settings, log }),
} satisfies Carrier<'apprise', AppriseSettings>;

function readApprise(env: Environment): AppriseSettings | null {
  const url = readSetting(env, 'APPRISE_URL', webUrl, null);
  return url === null ? null : { url };
}
