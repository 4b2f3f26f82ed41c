import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What the phone at the other end does with a call. */
export type PhoneMode = 'answers' | 'busy' | 'no_answer' | 'hangs_up';

/** A call that Asterisk was asked for. */
export interface Dialled {
  channel: string;
  timeout: string;
  /** What was said, each time it was played. */
  said: string[];
}

/** A server that does what Asterisk does with AMI and FastAGI, and with a phone that a test moves. */
export interface Asterisk {
  port: number;
  calls: readonly Dialled[];
  /** Where the context `tocsin` of its dialplan leads: AGI(agi://127.0.0.1:<port>/${TOCSIN_CALL}). */
  leadsTo(agiPort: number): void;
  /** Of the calls to come. `keys`: what is pressed while something is played, one after the other; then nothing. */
  phone(mode: PhoneMode, keys?: string): void;
  /** It may not read what it is to play. */
  cannotPlay(): void;
  stop(): Promise<void>;
}

/** Starts one. `secret`: that of its user `tocsin`. */
export async function startAsterisk(secret = 'ami'): Promise<Asterisk> {
  const calls: Dialled[] = [];
  let mode: PhoneMode = 'answers';
  let keys: string[] = [];
  let agiPort = 0;
  let plays = true;

  const sockets = new Set<Socket>();

  const server = createServer(socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    let action: Record<string, string> = {};
    let loggedIn = false;
    const send = (fields: Record<string, string>) =>
      socket.write(
        `${Object.entries(fields)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n`,
      );
    socket.on('error', () => {});
    socket.write('Asterisk Call Manager/9.0.0\r\n');
    createInterface({ input: socket })
      .on('error', () => {})
      .on('line', line => {
        const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (line !== '') {
          action[name] = value;
          return;
        }
        const { Action, Secret, ActionID = '', Channel = '', Variable = '', Timeout = '' } = action;
        const isOurs = action.Context === 'tocsin' && action.Exten === 's' && action.Priority === '1';
        action = {};
        if (Action === 'Login') {
          loggedIn = Secret === secret;
          send(
            loggedIn
              ? { Response: 'Success', Message: 'Authentication accepted' }
              : { Response: 'Error', Message: 'Authentication failed' },
          );
          return;
        }
        if (Action !== 'Originate' || !loggedIn || !isOurs)
          return void send({ Response: 'Error', ActionID, Message: 'Permission denied' });
        send({ Response: 'Success', ActionID, Message: 'Originate successfully queued' });
        const call: Dialled = { channel: Channel, timeout: Timeout, said: [] };
        calls.push(call);
        const reason = { answers: '4', hangs_up: '4', busy: '5', no_answer: '3' }[mode];
        const Response = reason === '4' ? 'Success' : 'Failure';
        send({ Event: 'OriginateResponse', Privilege: 'call,all', ActionID, Response, Channel, Reason: reason });
        if (reason === '4') talk(call, Variable.replace('TOCSIN_CALL=', ''), mode);
      });
  });

  /** Asks over FastAGI what to do with a call that was answered. */
  function talk(call: Dialled, id: string, mode: PhoneMode): void {
    const socket: Socket = connect(agiPort, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`agi_network: yes\nagi_network_script: ${id}\nagi_language: en\n\n`);
    createInterface({ input: socket })
      .on('error', () => {})
      .on('line', async line => {
        const [, path] = /^STREAM FILE (\S+) "[0-9*#]+"$/.exec(line) ?? [];
        if (path !== undefined && !plays) return void socket.write('200 result=0 endpos=0\n');
        if (path !== undefined) call.said.push(await readFile(`${path}.wav`, 'utf8'));
        if (line === 'HANGUP' || mode === 'hangs_up') return void socket.end();
        const key = path === undefined ? '' : (keys.shift() ?? '');
        const played = path === undefined ? '' : ' endpos=8000';
        socket.write(`200 result=${key === '' ? 0 : key.charCodeAt(0)}${played}\n`);
      });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    leadsTo(port) {
      agiPort = port;
    },
    phone(next, pressed = '') {
      mode = next;
      keys = [...pressed];
    },
    cannotPlay() {
      plays = false;
    },
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The recipe of the docs, as a process. */
export interface AsteriskGateway {
  url: string;
  agiPort: number;
  stop(): Promise<void>;
}

/** Starts it; what it speaks is written to the file instead. `speak`: another command. Throws what it says if it does not start. */
export async function startAsteriskGateway(on: {
  secret: string;
  amiPort: number;
  amiSecret?: string;
  speak?: string;
}): Promise<AsteriskGateway> {
  const [port, agiPort] = [await freePort(), await freePort()];
  const file = fileURLToPath(new URL('../../facade/docs/run/asterisk-gateway.mjs', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: {
      PATH: process.env.PATH,
      GATEWAY_SECRET: on.secret,
      PORT: String(port),
      AGI_PORT: String(agiPort),
      AMI_PORT: String(on.amiPort),
      AMI_SECRET: on.amiSecret ?? 'ami',
      SPEAK: on.speak ?? 'cat > "$WAV"',
      ASKS_S: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let faults = '';
  child.stderr!.on('data', chunk => {
    faults += chunk;
  });
  const refused = once(child, 'close').then(() => {
    throw new Error(faults);
  });
  await Promise.race([once(child.stdout!, 'data'), refused]);
  refused.catch(() => {});
  return {
    url: `http://127.0.0.1:${port}/`,
    agiPort,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
