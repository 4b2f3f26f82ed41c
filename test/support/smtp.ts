import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { eventually } from './wait.ts';

/** A mail as the server took it. */
export interface Mail extends Email {
  envelope: { from: string; to: string[] };
  raw: string;
  /** When, by the clock of this process. */
  takenAt: number;
}

/**
 * How the server behaves: `ok`; `silent` never greets; `hang` takes a message and never answers; `reset` takes a message
 * and drops the connection in place of an answer; `away` drops every connection at once; `greylist` puts every message
 * off with 450.
 */
export type Mode = 'ok' | 'silent' | 'hang' | 'reset' | 'away' | 'greylist';

/** A real mail server on the loopback that keeps what it is given. */
export interface Smtp {
  /** What SMTP_URL takes. */
  url: string;
  /** Everything that was taken, in order. */
  mails: readonly Mail[];
  /** How many connections were ever made to it. */
  connections(): number;
  /** The first mail, of those taken already and those to come, for which `wanted` holds; any where it is absent. */
  next(wanted?: (mail: Mail) => boolean): Promise<Mail>;
  /** Answers the next message with this code, to its recipient or after its text; each call adds one refusal. */
  failNext(code: number, options?: { at?: 'recipient' | 'text'; message?: string }): void;
  /** Answers the next message to this address with this code, whatever others do; each call adds one refusal. */
  refuse(to: string, code: number): void;
  /** Puts every message to this address off with 450 from now on. */
  greylist(to: string): void;
  behave(mode: Mode): void;
  /** Cuts every connection without a word, as a server that dies does; it goes on taking new ones. */
  cut(): void;
  /** Twice is fine. */
  stop(): Promise<void>;
}

interface Refusal {
  at: 'recipient' | 'text';
  error: Error;
}

/** Starts a mail server on a free port. `login`: it wants this one, else it takes anybody. */
export async function startSmtp(
  options: { mode?: Mode; login?: { user: string; password: string } } = {},
): Promise<Smtp> {
  const { login } = options;
  let mode = options.mode ?? 'ok';
  let connections = 0;
  const mails: Mail[] = [];
  const refusals: Refusal[] = [];
  const refusedTo: { to: string; code: number }[] = [];
  const greylisted = new Set<string>();
  const sockets = new Map<number | undefined, Socket>();

  /** The refusal for this point of a message, if the next one belongs there. */
  const refusalAt = (at: Refusal['at']) => (refusals[0]?.at === at ? refusals.shift()!.error : null);

  /** Keeps a message and gives the answer, null for none; throws a refusal. */
  async function take(stream: Readable, session: SMTPServerSession): Promise<string | null> {
    const raw = await text(stream);
    const refused = refusalAt('text');
    if (refused !== null) throw refused;
    mails.push({ ...(await PostalMime.parse(raw)), envelope: envelopeOf(session), raw, takenAt: performance.now() });
    if (mode === 'reset') sockets.get(session.remotePort)?.destroy();
    return mode === 'ok' ? `2.0.0 Ok: queued as ${mails.length}` : null;
  }

  const server = new SMTPServer({
    authOptional: login === undefined,
    disabledCommands: login === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: false,
    onConnect(_session, done) {
      if (mode !== 'silent') done();
    },
    onAuth({ username, password }, _session, done) {
      if (username === login?.user && password === login?.password) done(null, { user: 'known' });
      else done(refusal(535, '5.7.8 Authentication credentials invalid'));
    },
    onRcptTo({ address }, _session, done) {
      const index = refusedTo.findIndex(({ to }) => to === address);
      if (index >= 0) return done(refusal(refusedTo.splice(index, 1)[0]!.code, 'no'));
      done(
        mode === 'greylist' || greylisted.has(address)
          ? refusal(450, '4.7.1 Greylisted, come back later')
          : refusalAt('recipient'),
      );
    },
    onData(stream, session, done) {
      take(stream, session).then(answer => answer !== null && done(null, answer), done);
    },
  });
  server.on('error', () => {
    // A connection that was cut is what some tests are about.
  });
  server.server.on('connection', socket => {
    connections++;
    const port = socket.remotePort;
    sockets.set(port, socket);
    if (mode === 'away') socket.destroy();
    socket.once('close', () => sockets.delete(port));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;

  const cut = () => {
    for (const socket of sockets.values()) socket.destroy();
  };
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    connections: () => connections,
    next: (wanted = () => true) => eventually(() => mails.find(wanted), { what: 'a mail' }),
    failNext(code, { at = 'text', message = 'no' } = {}) {
      refusals.push({ at, error: refusal(code, message) });
    },
    refuse(to, code) {
      refusedTo.push({ to, code });
    },
    greylist: to => void greylisted.add(to),
    behave(next) {
      mode = next;
      // A server that goes away leaves no connection behind.
      if (mode === 'away') cut();
    },
    cut,
    async stop() {
      if (!server.server.listening) return;
      const closed = new Promise<void>(resolve => server.close(resolve));
      cut();
      await closed;
    },
  };
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function envelopeOf({ envelope }: SMTPServerSession): Mail['envelope'] {
  const { mailFrom, rcptTo } = envelope;
  return { from: mailFrom === false ? '' : mailFrom.address, to: rcptTo.map(({ address }) => address) };
}
