import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  CreateDeviceLinkResponseSchema,
  type Device,
  ListDevicesResponseSchema,
  RemoveDeviceResponseSchema,
} from '../../../gen/tocsin/console/v1/contacts_pb.ts';
import { EXIT } from '../exit.ts';
import { examples, howNamed } from '../flags.ts';
import type { Act } from '../session.ts';
import { table } from '../table.ts';
import { time } from '../text.ts';

const COLUMNS = [
  ['device', ({ name }: Device) => name],
  ['since', ({ since }: Device) => time(timestampDate(since!))],
  ['last message', ({ lastSentAt }: Device) => (lastSentAt === undefined ? '-' : time(timestampDate(lastSentAt)))],
  ['fault', ({ lastFault }: Device) => lastFault],
  ['id', ({ id }: Device) => id],
] as const;

/** `tocsin contacts ring`, `devices` and `remove-device`: the browsers that ring for a contact by web push. */
export function addDevices(contacts: Command, act: Act): void {
  const ring = contacts
    .command('ring')
    .description(
      'makes a link that makes a phone or computer ring for a contact by web push: in whichever browser it is opened',
    );
  ring.argument('<contact>', howNamed('the contact', 'anna'));
  examples(ring, 'contacts ring anna').action(
    act(async (session, _options: object, contactId: string) => {
      const answer = await session.rpc.contacts.createDeviceLink({ contactId });
      session.answer(CreateDeviceLinkResponseSchema, answer, () => [
        answer.url,
        `For ${contactId} alone, to open on the device that is to ring; good once, until ${time(timestampDate(answer.expiresAt!))}.`,
      ]);
      return EXIT.ok;
    }),
  );

  const devices = contacts.command('devices').description('lists the devices that ring for a contact by web push');
  devices.argument('<contact>', howNamed('the contact', 'anna'));
  examples(devices, 'contacts devices anna').action(
    act(async (session, _options: object, contactId: string) => {
      const answer = await session.rpc.contacts.listDevices({ contactId });
      session.answer(ListDevicesResponseSchema, answer, () =>
        answer.devices.length === 0 ? [`No device rings for ${contactId}.`] : table(COLUMNS, answer.devices),
      );
      return EXIT.ok;
    }),
  );

  const remove = contacts.command('remove-device').description('ends that a device rings for a contact');
  remove.argument('<contact>', howNamed('the contact', 'anna'));
  remove.argument('<device>', 'the id of the device, as `devices` shows it');
  examples(remove, 'contacts remove-device anna 0k2m…').action(
    act(async (session, _options: object, contactId: string, deviceId: string) => {
      const answer = await session.rpc.contacts.removeDevice({ contactId, deviceId });
      session.answer(RemoveDeviceResponseSchema, answer, () => [`It no longer rings for ${contactId}.`]);
      return EXIT.ok;
    }),
  );
}
