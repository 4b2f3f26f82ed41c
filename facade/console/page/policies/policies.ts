import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import type { PanicButton } from '../../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { useQuery } from '../live/use-query.ts';
import { spanOf } from '../parts/span.ts';
import { CHANNELS } from '../people/reach.ts';
import { readAll } from '../rpc/pages.ts';
import { alarms, panicButtons, READ } from '../rpc/rpc.ts';
import { session } from '../rpc/session.ts';
import { wordsOf } from '../words.ts';
import { type Nameable, namedBy, type People, type PolicyEdit, type StepEdit } from './plan.ts';

/** What runs a policy: an alarm in some of its modes, or a panic button. */
export interface Use {
  screen: string;
  name: string;
  modes: readonly { id: string; name: string }[];
}

/** Returns what runs each policy, by the policy's id. */
export function useUses() {
  return useQuery('uses', async () => {
    const [ofAlarms, ofButtons] = await Promise.all([
      readAll(async page => {
        const { alarms: some, nextPageToken } = await alarms.listAlarms(page, READ);
        return [some, nextPageToken];
      }),
      readAll(async page => {
        const { panicButtons: some, nextPageToken } = await panicButtons.listPanicButtons(page, READ);
        return [some, nextPageToken];
      }),
    ]);
    return usesOf(ofAlarms, ofButtons);
  });
}

function usesOf(ofAlarms: readonly Alarm[], ofButtons: readonly PanicButton[]): ReadonlyMap<string, Use[]> {
  const uses = [
    ...ofAlarms.flatMap(({ id, name, modes }) =>
      [...Map.groupBy(modes, ({ policyId }) => policyId)].map(([policyId, some]) => ({
        policyId,
        use: { screen: `alarms/${id}`, name, modes: some },
      })),
    ),
    ...ofButtons.map(({ id, name, policyId }) => ({
      policyId,
      use: { screen: `panic-buttons/${id}`, name, modes: [] },
    })),
  ].filter(({ policyId }) => policyId !== '');
  return new Map(
    [...Map.groupBy(uses, ({ policyId }) => policyId)].map(([id, some]) => [id, some.map(({ use }) => use)]),
  );
}

/** Returns a policy in one line: who, and after how long. */
export function summaryOf({ steps, repeat }: Pick<PolicyEdit, 'steps' | 'repeat'>, people: People): string {
  const say = wordsOf('policies');
  const names = ({ contacts }: StepEdit) =>
    contacts.map(told => people.get(namedBy(told))?.name ?? say.somebodyGone).join(say.and) || say.nobody;
  const parts = steps.map(step =>
    step.delayS === 0 ? say.atOnce(names(step)) : say.after(spanOf(step.delayS), names(step)),
  );
  const [begins = ''] = parts;
  const inOrder = [begins.charAt(0).toUpperCase() + begins.slice(1), ...parts.slice(1)].join(', ');
  return [inOrder, repeat === 0 ? '' : say.rounds(repeat)].filter(part => part !== '').join(' · ');
}

/** Returns whom a step can name: people, then duties. Over what whoever is on duty can be reached, the services say. */
export function nameable(people: readonly Contact[], duties: readonly Duty[]): Nameable[] {
  const ways = CHANNELS.map(channel => ({ channel, reach: 'goes', disabledReason: '' }));
  return [
    ...people.map(({ id, name, channels }): Nameable => ({ id, name, channels, is: 'contact' })),
    ...duties.map(
      ({ id, name }): Nameable => ({ id, name: wordsOf('policies').onDuty(name), channels: ways, is: 'duty' }),
    ),
  ];
}

export function byId(people: readonly Nameable[]): People {
  return new Map(people.map(person => [person.id, person]));
}

export type Template = 'order' | 'all';

/** Returns a policy to begin with; whoever is signed in comes first if they are among the contacts. `null`: one empty step. */
export function policyFrom(template: Template | null, people: readonly Contact[]): PolicyEdit {
  const own = session.value.is === 'signed_in' ? (session.value.who.member?.email ?? '') : '';
  const isOwn = ({ channels }: Contact) => channels.some(({ address }) => address === own);
  const told = people
    .toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)))
    .map(person => ({ contactId: person.id, dutyId: '', channels: channelsOf(person) }));
  const name = template === null ? '' : wordsOf('policies').templates[template].title;
  const base = {
    id: '',
    key: '',
    version: 0,
    name,
    repeat: template === null ? 0 : 1,
    repeatDelayS: 300,
    askAgainAfterS: 0,
  };
  if (template === 'all') return { ...base, steps: [{ delayS: 0, contacts: told.slice(0, 20) }] };
  const [first, second] = told;
  const step = (delayS: number, one: typeof first) => ({ delayS, contacts: one === undefined ? [] : [one] });
  if (template === null) return { ...base, steps: [step(0, undefined)] };
  return { ...base, steps: [step(0, first), step(300, second)] };
}

/** Returns the channels over which a contact is told by default: all that are not switched off. */
export function channelsOf({ channels }: Pick<Nameable, 'channels'>): string[] {
  return channels.filter(({ disabledReason }) => disabledReason === '').map(({ channel }) => channel);
}
