import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../support/wait.ts';
import { get, open, startRig } from './rig.ts';

/** More than the system takes over of an answer that nobody reads, and less than a key may leave unread. */
const LARGE = 12_000_000;

const READ = get('/v1/integration/describe', ['Connection: keep-alive']);

test('who does not take an answer for a minute loses the connection; who reads, and who is quiet, does not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const rig = await startRig();
  const quiet = open(rig);
  quiet.socket.write(READ);
  await eventually(() => quiet.received() !== '', { what: 'the first answer' });

  rig.backend.locationName = 'x'.repeat(LARGE);
  const hoarder = open(rig);
  hoarder.socket.pause().write(READ);
  const reader = open(rig);
  reader.socket.write(READ);
  await eventually(() => reader.received().length > LARGE && rig.backend.acted.length === 3, {
    what: 'the large answer',
  });
  vi.advanceTimersByTime(55_000);
  reader.socket.write(READ);
  await eventually(() => reader.received().length > 2 * LARGE, { what: 'a second one, on the same connection' });
  vi.advanceTimersByTime(30_000);

  hoarder.socket.resume();
  await eventually(() => hoarder.socket.destroyed, { what: 'the connection to be ended' });
  expect(hoarder.received().length).toBeLessThan(LARGE);
  rig.backend.locationName = 'House';
  const before = quiet.received().length;
  quiet.socket.write(READ);
  await eventually(() => quiet.received().length > before, { what: 'an answer on the quiet connection' });
});
