import type { MessageInitShape } from '@bufbuild/protobuf';
import type { GetDeviceLinkResponseSchema } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import type { Subscription } from '../channels/devices.ts';
import { NAME_LENGTH } from '../process/text.ts';
import { languageFor } from '../words/language.ts';
import { named } from '../words/names.ts';
import { addDeviceByLink, deviceLinkOf, type RingingOn } from './ringing.ts';

/** The links that make a browser ring for a person, as their page asks for them. */
export interface DeviceLinks {
  /** Returns what the page of a link shows; null: there is no such link. */
  pageOf(token: string): Promise<MessageInitShape<typeof GetDeviceLinkResponseSchema> | null>;
  /** Makes the browser ring that subscribed; null: the link is none, or over. Throws INVALID_ARGUMENT, FAILED_PRECONDITION. */
  add(
    token: string,
    browser: Subscription & { name: string },
  ): Promise<{ outcome: 'added' | 'known'; problem: string } | null>;
}

export function createDeviceLinks(on: RingingOn): DeviceLinks {
  return {
    async pageOf(token) {
      const opened = await deviceLinkOf(on, token);
      if (opened === null) return null;
      const { link, contact } = opened;
      const { words } = languageFor(contact.doc.locale);
      const { ring } = words.page;
      const said = Object.fromEntries(Object.entries(ring.said));
      if (link.state !== 'good')
        return { language: words.language, state: 'over', title: ring.over, text: ring.overTodo, said };
      const name = named(contact.doc.name, words, NAME_LENGTH);
      return {
        ...{ language: words.language, state: 'good', label: ring.label, said },
        title: ring.title(name),
        text: ring.text(named(link.accountName, words, NAME_LENGTH), name),
        key: (await on.carriers.devices.key())?.publicKey ?? '',
      };
    },
    add: (token, browser) => addDeviceByLink(on, token, browser),
  };
}
