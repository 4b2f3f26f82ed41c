import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import { CreateChatLinkResponseSchema } from '../../../gen/tocsin/console/v1/contacts_pb.ts';
import { EXIT } from '../exit.ts';
import { examples, howNamed } from '../flags.ts';
import type { Act } from '../session.ts';
import { time } from '../text.ts';

/** `tocsin contacts link`: connects a contact's chat at Telegram, without an address to type. */
export function addLink(contacts: Command, act: Act): void {
  const link = contacts
    .command('link')
    .description(
      "makes a link that connects a contact's chat at Telegram: whoever presses Start there is alerted there",
    );
  link.argument('<contact>', howNamed('the contact', 'anna'));
  examples(link, 'contacts link anna').action(
    act(async (session, _options: object, contactId: string) => {
      const answer = await session.rpc.contacts.createChatLink({ contactId });
      session.answer(CreateChatLinkResponseSchema, answer, () => [
        answer.url,
        `For ${contactId} alone, to open on their phone and press Start; good once, until ${time(timestampDate(answer.expiresAt!))}.`,
      ]);
      return EXIT.ok;
    }),
  );
}
