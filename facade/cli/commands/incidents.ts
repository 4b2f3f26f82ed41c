import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Argument, type Command, Option } from 'commander';
import {
  AcknowledgeResponseSchema,
  CloseResponseSchema,
  type GetIncidentResponse,
  GetIncidentResponseSchema,
  SetDispositionResponseSchema,
} from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { type Incident, IncidentSchema } from '../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { examples } from '../flags.ts';
import { brief, NAMED } from '../named-incident.ts';
import { collect, type PageOptions, pageFlags } from '../pages.ts';
import type { Rpc } from '../rpc.ts';
import type { Act } from '../session.ts';
import { contactId, incidentId, sourceId } from '../sources.ts';
import { timeToHumanLines } from '../time-to-human.ts';
import { incidentLines, stamp, timelineLines, trippedLine } from '../timeline.ts';
import { addGoingOn } from './going-on.ts';
import { addTotals } from './totals.ts';
import { addWindows } from './windows.ts';

interface ListOptions extends PageOptions {
  source?: string;
  status?: string;
  environment?: string;
  apiKey?: string;
  contact?: string;
}

/** `tocsin incidents`: what happened, and acknowledging and closing it (DECISIONS.md "Incidents and escalation"). */
export function addIncidents(program: Command, act: Act): void {
  const incidents = program.command('incidents');

  const list = pageFlags(incidents.command('list').description('lists incidents, newest first'))
    .option('--source <source>', 'only of this alarm or panic button: id or key')
    .option('--status <status>', 'only open or only closed ones')
    .option('--environment <environment>', 'only live or only test ones')
    .option('--api-key <key>', 'only those that this API key tripped: id or key')
    .option('--contact <contact>', 'only those that this contact was alerted to or acknowledged: id or key');
  examples(list, 'incidents list --status open', 'incidents list --contact anna --limit 5').action(
    act(async (session, { source, apiKey, contact, status = '', environment = '', ...pages }: ListOptions) => {
      const { rpc } = session;
      const filter = {
        sourceId: source === undefined ? '' : await sourceId(rpc, source),
        keyId: apiKey === undefined ? '' : (await rpc.keys.getApiKey({ apiKeyId: apiKey })).apiKey!.id,
        contactId: contact === undefined ? '' : await contactId(rpc, contact),
        status,
        environment,
      };
      const page = await collect(pages, async (pageSize, pageToken) => {
        const answer = await session.rpc.incidents.listIncidents({ ...filter, pageSize, pageToken });
        return { items: answer.incidents, nextPageToken: answer.nextPageToken };
      });
      session.list(IncidentSchema, page, COLUMNS, 'No incidents found.');
    }),
  );

  const show = incidents.command('show').description('shows an incident with its whole timeline');
  show.argument('<incident>', `${NAMED}: its newest incident`);
  show.option('--all', 'all triggers that joined it, not only the first ones');
  examples(show, 'incidents show house', 'incidents show house --all').action(
    act(async (session, { all = false }: { all?: boolean }, reference: string) => {
      const id = await incidentId(session.rpc, reference, '');
      const first = await session.rpc.incidents.getIncident({ incidentId: id });
      const answer = all ? await withAllCalls(session.rpc, first) : first;
      session.answer(GetIncidentResponseSchema, answer, () => [
        ...incidentLines(answer.incident!),
        '',
        'From accepted on:',
        ...timeToHumanLines(answer.timeToHuman!),
        '',
        ...timelineLines(answer.timeline),
      ]);
      if (answer.nextCallsPageToken !== '' && session.format === 'text') {
        session.note(`More triggers joined it (${answer.incident!.triggerCount} in all): pass --all to see each.`);
      }
    }),
  );

  const ack = incidents
    .command('ack')
    .alias('acknowledge')
    .description('acknowledges an incident: its escalation stops, it stays open');
  ack
    .argument('<incident>', `${NAMED}: its open incident`)
    .option('--by <name>', "who acknowledges it (the token's label)");
  examples(ack, 'incidents ack house --by Anna').action(
    act(async (session, { by = '' }: { by?: string }, reference: string) => {
      const id = await incidentId(session.rpc, reference, 'open');
      const answer = await session.rpc.incidents.acknowledge({ incidentId: id, by });
      session.answer(AcknowledgeResponseSchema, answer, () => [acknowledged(answer.outcome, answer.incident!)]);
    }),
  );

  const close = incidents.command('close').description('closes an incident; messages not sent yet are cancelled');
  close
    .argument('<incident>', `${NAMED}: its open incident`)
    .addOption(new Option('--as <what>', 'what it was: real, false-alarm or test').choices(WAS));
  examples(close, 'incidents close house', 'incidents close house --as false-alarm').action(
    act(async (session, { as = '' }: { as?: string }, reference: string) => {
      const id = await incidentId(session.rpc, reference, 'open');
      const answer = await session.rpc.incidents.close({ incidentId: id, disposition: as.replace('-', '_') });
      const before = answer.outcome === 'closed' ? 'Closed' : 'Already closed';
      session.answer(CloseResponseSchema, answer, () => [`${before}: ${brief(answer.incident!)}.`]);
    }),
  );

  const was = incidents
    .command('was')
    .description('says what an incident was, open or closed: false alarms are counted by it');
  was
    .argument('<incident>', `${NAMED}: its newest incident`)
    .addArgument(new Argument('<what>', 'real, false-alarm or test').choices(WAS))
    .option('--by <name>', "who says so (the token's label)");
  examples(was, 'incidents was house false-alarm --by Anna').action(
    act(async (session, { by = '' }: { by?: string }, reference: string, what: string) => {
      const id = await incidentId(session.rpc, reference, '');
      const answer = await session.rpc.incidents.setDisposition({
        incidentId: id,
        disposition: what.replace('-', '_'),
        by,
      });
      session.answer(SetDispositionResponseSchema, answer, () => [
        `Noted as ${what.replace('-', ' ')}: ${brief(answer.incident!)}.`,
      ]);
    }),
  );

  addTotals(incidents, act);
  addGoingOn(incidents, act);
  addWindows(incidents, act);
}

/** What an incident was, as one types it. */
const WAS = ['real', 'false-alarm', 'test'];

/** Returns the incident including further pages of calls, in order of time. */
async function withAllCalls(rpc: Rpc, first: GetIncidentResponse): Promise<GetIncidentResponse> {
  const timeline = [...first.timeline];
  let next = first.nextCallsPageToken;
  while (next !== '') {
    const page = await rpc.incidents.getIncident({ incidentId: first.incident!.id, callsPageToken: next });
    timeline.push(...page.timeline);
    next = page.nextCallsPageToken;
  }
  timeline.sort((a, b) => timestampMs(a.at!) - timestampMs(b.at!));
  return { ...first, timeline, nextCallsPageToken: '' };
}

function acknowledged(outcome: string, incident: Incident): string {
  if (outcome === 'already_closed') return `Already closed: ${brief(incident)}.`;
  const who = `by ${clean(incident.acknowledgedBy)}, ${stamp(incident.acknowledgedAt)}`;
  const before = outcome === 'acknowledged' ? 'Acknowledged' : 'Already acknowledged';
  return `${before} ${who}: ${brief(incident)}. It stays open until it is cleared or closed.`;
}

const COLUMNS = [
  ['id', ({ id }: Incident) => id],
  ['opened', ({ openedAt }: Incident) => stamp(openedAt)],
  ['source', ({ sourceName }: Incident) => sourceName],
  ['mode', ({ mode, responseKind }: Incident) => mode || responseKind],
  ['env', ({ environment }: Incident) => environment],
  ['status', ({ status, closeReason }: Incident) => (closeReason === '' ? status : `${status} (${closeReason})`)],
  ['alerts', ({ outcome }: Incident) => outcome],
  ['was', ({ disposition }: Incident) => disposition.replace('_', ' ')],
  ['acknowledged by', ({ acknowledgedBy }: Incident) => acknowledgedBy],
  ['triggers', ({ triggerCount }: Incident) => String(triggerCount)],
  ['tripped by', trippedLine],
] as const;
