import { randomUUID } from 'node:crypto';
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { Logger } from 'pino';
import type { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Bus } from '../changes/bus.ts';
import type { PersonsVerb } from '../domain/action.ts';
import type { Actor } from '../domain/actor.ts';
import { stepName } from '../domain/escalation.ts';
import { DISPOSITIONS, type Disposition, dispositionOf } from '../domain/incident.ts';
import { NOTE_LENGTH } from '../domain/person-moves.ts';
import { MOVES_MOST } from '../limits/table.ts';
import { createRateLimit } from '../limits/times.ts';
import { isUuid, traceIdIn, withAccess } from '../rpc/auth.ts';
import { invalidField } from '../rpc/fields.ts';
import { pageSize } from '../rpc/pages.ts';
import { say } from '../rpc/reader.ts';
import type { Seal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import { findCalls } from '../store/statements/calls.ts';
import type { Store } from '../store/store.ts';
import { calleesOf } from './callees.ts';
import { callView } from './calls.ts';
import { disposeOfClosed } from './disposition.ts';
import { createSearchTurns, listCalls, listIncidents } from './lists.ts';
import { applyOwnAction, takeMove } from './own-action.ts';
import { incidentOf, readIncident } from './read.ts';
import { contactNamed } from './statements/contact-named.ts';
import { setDisposition } from './statements/disposition.ts';
import { monthlyTotals } from './totals.ts';
import { incidentView } from './view.ts';
import { createLooks, watchIncidents } from './watch.ts';
import { callOff, listWindows } from './windows.ts';

/** The longest name of a person who acknowledges an incident, in characters. */
const NAME_MOST = 100;

/** What the incident service needs. */
export interface IncidentOptions {
  store: Store;
  /** Opens the numbers of people. */
  seal: Seal;
  /** KEY_PEPPER, under which console tokens are digested. */
  pepper: Pepper;
  /** Wakes watchers and waiting calls. */
  bus: Bus;
  /** Notifies the engine of a stored action. */
  nudge(): void;
  log: Logger;
}

/**
 * What happened: incidents, their timelines and the outcome of each call; and what people do about it (DECISIONS.md
 * "Incidents and escalation"). For console tokens only.
 */
export function createIncidentService(deps: IncidentOptions): ServiceImpl<typeof IncidentService> {
  const { store, pepper } = deps;

  const asked = withAccess(store, pepper);
  const looks = createLooks();
  const turns = createSearchTurns();
  const limit = createRateLimit(MOVES_MOST);

  /** Does what a person asks. Returns the outcome, with the incident as it is afterwards. */
  async function act(
    verb: PersonsVerb,
    incidentId: string,
    own: { accountId: string; actor: string; detail?: string },
    context: HandlerContext,
  ) {
    const { accountId } = own;
    const { sourceId, id } = await incidentOf(store.orm.em.fork(), accountId, incidentId);
    if (verb !== 'acknowledge' && verb !== 'close') takeMove(limit, id);
    const traceId = randomUUID();
    const action = { ...own, verb, sourceId, incidentId: id, traceId };
    const { outcome } = await applyOwnAction({ ...deps, pool: store.pool }, action, context);
    const incident = await incidentOf(store.orm.em.fork(), accountId, id).catch(error => {
      throw untold(verb, outcome, traceId, error);
    });
    return { outcome, incident: incidentView(incident), traceId };
  }

  return {
    listIncidents: asked((request, { accountId }, { signal }) =>
      listIncidents({ store, turns }, accountId, request, signal),
    ),

    getIncident: asked(async (request, { accountId }) => {
      const answer = await readIncident(store, accountId, request.incidentId, request);
      if (request.callsPageToken !== '') return answer;
      return { ...answer, callees: await calleesOf(deps, accountId, request.incidentId) };
    }),

    watchIncidents: (request, context) => watchIncidents({ ...deps, looks }, request, context),

    acknowledge: asked(({ incidentId, by }, { accountId, actor }, context) =>
      act('acknowledge', incidentId, { accountId, actor: actorOf(actor, by) }, context),
    ),

    close: asked(async ({ incidentId, disposition: word }, { accountId, actor }, context) => {
      const disposition = word === '' ? null : readDisposition(word);
      const closed = await act('close', incidentId, { accountId, actor: actor.name }, context);
      if (disposition === null) return closed;
      const { outcome, incident } = closed;
      const said = { outcome, disposition, by: actor.name, limit };
      await disposeOfClosed({ ...deps, pool: store.pool }, { accountId, incidentId: incident.id! }, said);
      const now = await incidentOf(store.orm.em.fork(), accountId, incidentId).catch(() => null);
      return now === null ? closed : { ...closed, incident: incidentView(now) };
    }),

    setDisposition: asked(async ({ incidentId, disposition: word, by }, { accountId, actor }) => {
      const disposition = readDisposition(word);
      const { id } = await incidentOf(store.orm.em.fork(), accountId, incidentId);
      takeMove(limit, id);
      const set = await setDisposition(store.pool, { accountId, incidentId: id }, disposition, actorOf(actor, by));
      if (set === null) throw new ConnectError(say().refusals.drillIsOne, Code.FailedPrecondition);
      return { incident: incidentView(await incidentOf(store.orm.em.fork(), accountId, id)) };
    }),

    listWindows: asked(({ sourceId, pageSize: size }, { accountId }) =>
      listWindows(store.pool, { accountId, sourceId }, pageSize(size)),
    ),

    callOff: asked(({ by, ...window }, { accountId, actor }, context) =>
      callOff({ ...deps, pool: store.pool }, { ...window, accountId, actor: actorOf(actor, by) }, context),
    ),

    nextStep: asked(({ incidentId, by, round, step }, { accountId, actor }, context) =>
      act(
        'next_step',
        incidentId,
        { accountId, actor: actorOf(actor, by), detail: stepName({ round, step }) },
        context,
      ),
    ),

    addNote: asked(({ incidentId, by, text }, { accountId, actor }, context) =>
      act('note', incidentId, { accountId, actor: actorOf(actor, by), detail: noteOf(text) }, context),
    ),

    handOver: asked(async ({ incidentId, by, contactId }, { accountId, actor }, context) => {
      const detail = await contactNamed(store.pool, accountId, contactId);
      if (detail === null) throw new ConnectError(say().refusals.noSuch('contact', ''), Code.NotFound);
      return act('hand_over', incidentId, { accountId, actor: actorOf(actor, by), detail }, context);
    }),

    findCall: asked(async ({ traceId: asked }, { accountId }) => {
      const traceId = traceIdOf(asked);
      if (traceId === null) throw invalidField('traceId', say().accepts.traceId, asked);
      const calls = (await findCalls(store.pool, accountId, traceId)).map(callView);
      if (calls.length === 0) throw new ConnectError(say().refusals.noCall, Code.NotFound);
      return { call: calls[0]!, calls };
    }),

    getMonthlyTotals: asked((request, { accountId }) => monthlyTotals(store.pool, accountId, request)),

    listCalls: asked((request, { accountId }) => listCalls(store.pool, accountId, request)),
  };
}

/**
 * Reads a trace id as it may be written: a UUID, its 32 digits, or a traceparent. Returns null if it is none of these.
 */
function traceIdOf(word: string): string | null {
  const digits = word.trim().toLowerCase();
  if (isUuid(digits)) return digits;
  return traceIdIn(/^[0-9a-f]{32}$/.test(digits) ? `00-${digits}-${'0'.repeat(16)}-00` : digits);
}

/** The action was applied by then: the caller must not be told that nothing was accepted. */
function untold(verb: string, outcome: string, traceId: string, cause: unknown): ConnectError {
  return new ConnectError(
    say().refusals.appliedUnread(verb, outcome, traceId),
    Code.Unavailable,
    undefined,
    undefined,
    cause,
  );
}

/** A member acts under their own name; a token may be shared, so the caller may name the person. */
function actorOf(actor: Actor, by: string): string {
  const given = nameOf(by);
  return actor.kind === 'member' ? actor.name : (given ?? actor.name);
}

/** Returns what an incident was. Throws INVALID_ARGUMENT. */
function readDisposition(word: string): Disposition {
  const disposition = dispositionOf(word);
  if (disposition === null) throw invalidField('disposition', say().accepts.oneOf(DISPOSITIONS), word);
  return disposition;
}

/** Returns the text of a note, trimmed. Throws INVALID_ARGUMENT. */
function noteOf(text: string): string {
  const note = text.trim();
  if (note === '' || note.length > NOTE_LENGTH || /\p{Cc}/u.test(note)) {
    throw invalidField('text', say().accepts.note(NOTE_LENGTH), text);
  }
  return note;
}

/** Returns the name that a person gave, trimmed; null if none. */
function nameOf(by: string): string | null {
  const name = by.trim();
  if (name.length > NAME_MOST || /\p{Cc}/u.test(name)) {
    throw invalidField('by', say().accepts.nameOrNothing(NAME_MOST), name);
  }
  return name === '' ? null : name;
}
