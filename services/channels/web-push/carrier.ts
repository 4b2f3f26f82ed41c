import { z } from 'zod';
import { type Environment, type Kind, readSetting } from '../../process/settings.ts';
import { EMAIL_ADDRESS, WEB_PUSH_ADDRESS } from '../../process/vocabulary.ts';
import type { Carrier } from '../carrier.ts';
import { createWebPushChannel, type WebPushSettings } from './send.ts';

/** Push messages to the browsers of people, without an app of anybody's. */
export const webPush = {
  name: 'web-push',
  title: { en: 'Web push', de: 'Web-Push' },
  about: {
    en: 'Push messages to the browsers of phones and computers, without an app. You need nothing, but PUBLIC_URL has to begin with https://.',
    de: 'Push-Nachrichten an die Browser von Telefonen und Computern, ohne App. Sie brauchen nichts, nur muss PUBLIC_URL mit https:// beginnen.',
  },
  settings: [
    {
      name: 'WEB_PUSH_CONTACT',
      asked: 'needed',
      holds: 'text',
      label: { en: 'Your email address', de: 'Ihre E-Mail-Adresse' },
      hint: {
        en: 'Google, Mozilla, Apple and Microsoft are told it with every message, so that they can write to you if something is wrong. An https address does as well.',
        de: 'Google, Mozilla, Apple und Microsoft erfahren sie mit jeder Nachricht, damit sie Ihnen schreiben können, wenn etwas nicht stimmt. Eine https-Adresse tut es auch.',
      },
    },
  ],
  carries: ['push'],
  hint: 'WEB_PUSH_CONTACT',
  prefix: WEB_PUSH_ADDRESS,
  read: readWebPush,
  open: (_kind, settings, { outboundNetworks, devices, log }) =>
    devices === undefined ? null : createWebPushChannel({ settings, outboundNetworks, devices, log }),
} satisfies Carrier<'web-push', WebPushSettings>;

function readWebPush(env: Environment): WebPushSettings | null {
  const contact = readSetting(env, 'WEB_PUSH_CONTACT', pushContact, null);
  return contact === null ? null : { contact };
}

/** Push services refuse all messages of whoever names this machine. */
const pushContact: Kind<string> = {
  takes: 'an email address, or an https URL, at which the push services of browsers can write to you; not at localhost',
  schema: z
    .string()
    .max(200)
    .refine(text => {
      const host = text.startsWith('https://')
        ? URL.parse(text)?.hostname
        : EMAIL_ADDRESS.test(text) && text.split('@').at(-1);
      return !!host && host.includes('.') && !/(^|\.)local(host)?$/.test(host);
    }),
  shown: 'value',
};
