import type { Command } from 'commander';
import { type Day, ListDaysResponseSchema } from '../../../gen/tocsin/console/v1/days_pb.ts';
import { formatDuration } from '../duration.ts';
import { examples } from '../flags.ts';
import type { Rpc } from '../rpc.ts';
import type { Act } from '../session.ts';
import { type Columns, table } from '../table.ts';

const MINUTE_S = 60;

/** `tocsin alarms days`, `tocsin panic-buttons days`: what the last 30 days of one were like. `idOf`: of the id or key that was given. */
export function addDays(
  group: Command,
  act: Act,
  of: { one: string; example: string; idOf(rpc: Rpc, named: string): Promise<string> },
): void {
  const command = group
    .command('days')
    .description('shows the last 30 days: calls, how it was armed, what opened, when a sender was silent')
    .argument(`<${of.one}>`, 'its id or key');
  examples(command, `${group.name()} days ${of.example}`, `${group.name()} days ${of.example} --json`).action(
    act(async (session, _options: object, named: string) => {
      const answer = await session.rpc.days.listDays({ sourceId: await of.idOf(session.rpc, named) });
      session.answer(ListDaysResponseSchema, answer, () => [
        `Days of ${answer.timeZone}; ? stands for what is not known:`,
        ...table(DAYS, answer.days),
      ]);
    }),
  );
}

/** What is not known is never shown as nothing. */
const figure = (of: (day: Day) => string) => (day: Day) =>
  day.known === 'before' || day.known === 'removed' ? '?' : of(day);

const DAYS: Columns<Day> = [
  ['day', ({ day }) => day],
  ['known', ({ known }) => known],
  ['calls', figure(({ calls, moreCalls }) => `${calls}${moreCalls ? '+' : ''}`)],
  [
    'armed',
    figure(({ modes }) =>
      modes
        .filter(({ mode }) => mode !== 'disarmed')
        .map(lasted)
        .join(', '),
    ),
  ],
  ['live', figure(({ liveIncidents }) => String(liveIncidents))],
  ['false alarms', figure(({ falseAlarms }) => String(falseAlarms))],
  ['in test', figure(({ testIncidents }) => String(testIncidents))],
  ['silent', figure(({ silentS }) => (silentS === 0 ? '' : formatDuration(silentS)))],
];

function lasted({ mode, seconds }: Day['modes'][number]): string {
  const minutes = Math.max(MINUTE_S, Math.round(seconds / MINUTE_S) * MINUTE_S);
  return `${mode === '' ? '?' : mode}:${formatDuration(minutes).replaceAll(' ', '')}`;
}
