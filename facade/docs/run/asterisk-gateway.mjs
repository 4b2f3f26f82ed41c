#!/usr/bin/env node
/*
 * A gateway for Tocsin that makes its calls through Asterisk (docs: Reaching people, "Asterisk behind the gateway"). It takes each call as a signed
 * POST, has Asterisk dial by AMI (Originate), is asked by Asterisk over FastAGI what to say, and posts the key that was pressed back, signed.
 * Node 20 or newer, no packages. Speech: espeak-ng and sox.
 */
import { execFile } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const set = {
  GATEWAY_SECRET: '', // As Tocsin has it: whsec_…
  PORT: '8090', // GATEWAY_URL=http://<this machine>:8090/
  DIAL: 'PJSIP/{number}@trunk', // {number} without its plus sign: {digits}
  CALLER_ID: '',
  RINGS_S: '30',
  ASKS_S: '10', // How long Asterisk may take from the answer to the question what to say.
  AMI_HOST: '127.0.0.1',
  AMI_PORT: '5038',
  AMI_USER: 'tocsin',
  AMI_SECRET: '',
  AGI_HOST: '127.0.0.1', // Where the dialplan leads: agi://127.0.0.1:4573/${TOCSIN_CALL}
  AGI_PORT: '4573',
  SPEAK: 'espeak-ng -v "$VOICE" --stdin --stdout | sox -t wav - -r 8000 -c 1 -b 16 "$WAV"',
  ...process.env,
};
const key = Buffer.from(set.GATEWAY_SECRET.replace(/^whsec_/, ''), 'base64');
if (key.length < 16) throw new Error('GATEWAY_SECRET takes the secret that Tocsin has: whsec_ and base64.');
const KEYS = '0123456789*#';
const folder = mkdtempSync(join(tmpdir(), 'tocsin-calls-'));
const calls = new Map();
let count = 0;

const log = (id, said) => console.log(`${new Date().toISOString()} ${id}: ${said}`);
const digest = (id, at, path, body) =>
  createHmac('sha256', key).update(`${id}\n${at}\nPOST\n${path}\n${body}`).digest();

/** What is wrong with a connection is said by its own end. */
const linesOf = socket => createInterface({ input: socket }).on('error', () => {});

/** Tells whether Tocsin signed a request for this place within five minutes. */
function isSigned({ headers, url }, body) {
  const [id, at] = [headers['webhook-id'] ?? '', headers['webhook-timestamp'] ?? ''];
  if (!/^\d{1,12}$/.test(at) || Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const right = digest(id, at, url, body);
  return (headers['webhook-signature'] ?? '').split(' ').some(one => {
    const given = Buffer.from(one.startsWith('v2,') ? one.slice(3) : '', 'base64');
    return given.length === right.length && timingSafeEqual(given, right);
  });
}

/** Posts to Tocsin, twice if need be. Returns what it answers; null if it does not. */
async function tell(call, url, content) {
  if (!url) return null;
  const body = JSON.stringify(content);
  const { pathname, search } = new URL(url);
  const id = `${call.id}-${++count}`;
  for (let nth = 0; nth < 2; nth++) {
    const at = String(Math.floor(Date.now() / 1000));
    const signature = digest(id, at, pathname + search, body).toString('base64');
    const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v2,${signature}` };
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5_000) });
      if (answer.ok) return await answer.json();
      log(call.id, `Tocsin answered ${answer.status}`);
    } catch (error) {
      log(call.id, `Tocsin did not answer: ${error.message}`);
    }
  }
  return null;
}

/** Has Asterisk dial. Resolves once it has queued the call, or with why not; `ended` hears that nobody answered. */
function originate(call, ended) {
  return new Promise(resolve => {
    const socket = connect(Number(set.AMI_PORT), set.AMI_HOST);
    const give = problem => {
      resolve(problem);
      if (problem !== null) socket.destroy();
    };
    const send = fields => socket.write(`${fields.map(field => field.join(': ')).join('\r\n')}\r\n\r\n`);
    let packet = {};
    let queued = false;
    let heard = false;
    const read = () => {
      const { Response, Message, Event, ActionID, Reason } = packet;
      packet = {};
      if (Response === 'Error') return give(`Asterisk refused: ${Message}`);
      if (ActionID !== call.id) return;
      if (Event !== 'OriginateResponse') {
        queued = true;
        return give(null);
      }
      heard = true;
      socket.destroy();
      if (Reason === '4') {
        // It was answered: from here on the dialplan leads to us.
        const silent = { state: 'failed', reason: 'Asterisk did not ask what to say' };
        setTimeout(() => call.asked || ended(silent), Number(set.ASKS_S) * 1_000);
      } else {
        ended(Reason === '5' ? { state: 'busy' } : { state: 'failed', reason: REASONS[Reason] ?? 'not reached' });
      }
    };
    socket.setTimeout((Number(set.RINGS_S) + 30) * 1_000, () => socket.destroy());
    socket.on('error', error => give(`Asterisk does not answer: ${error.message}`));
    socket.on('close', () => {
      give('Asterisk hung up');
      if (queued && !heard) ended({ state: 'failed', reason: 'Asterisk hung up' });
    });
    linesOf(socket).on('line', line => {
      if (line === '') return read();
      const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? [];
      if (name !== undefined) packet[name] = value;
    });
    const channel = set.DIAL.replace('{number}', call.to).replace('{digits}', call.to.slice(1));
    send([
      ['Action', 'Login'],
      ['Username', set.AMI_USER],
      ['Secret', set.AMI_SECRET],
    ]);
    send([
      ['Action', 'Originate'],
      ['ActionID', call.id],
      ['Channel', channel],
      // By way of the dialplan: AGI as an application would need the right to run anything there.
      ['Context', 'tocsin'],
      ['Exten', 's'],
      ['Priority', '1'],
      ['Variable', `TOCSIN_CALL=${call.id}`],
      ['CallerID', set.CALLER_ID],
      ['Timeout', String(Number(set.RINGS_S) * 1_000)],
      ['Async', 'true'],
    ]);
  });
}

/** What Asterisk says of a call that nobody took (its frames of control). */
const REASONS = { 0: 'no such number', 1: 'no answer', 3: 'no answer', 8: 'the line is congested' };

/** Speaks a text into a file that Asterisk plays; returns its path without the ending. */
function speak(language, text) {
  const path = join(folder, String(++count));
  const env = { ...process.env, VOICE: language.split('-', 1)[0], WAV: `${path}.wav` };
  return new Promise((resolve, reject) => {
    const child = execFile('sh', ['-c', set.SPEAK], { env, timeout: 10_000 }, error =>
      error ? reject(error) : resolve(path),
    );
    // Whoever ends without reading is told of by how it ends.
    child.stdin.on('error', () => {}).end(text);
  });
}

// Better no gateway than one whose calls are silent: Tocsin goes on over the next channel.
await speak('en', 'Tocsin')
  .then(path => rm(`${path}.wav`))
  .catch(error => {
    throw new Error(
      `SPEAK wrote no WAV: ${error.message.trim()}. It takes a command that speaks what it reads into "$WAV".`,
    );
  });

/** A call that was answered: says it, takes the key, and says what Tocsin answers to that, until either is done. */
async function converse(call, agi) {
  const says = async (language, sentences) => {
    const path = await speak(language, sentences.filter(Boolean).join(' '));
    const { key, endpos } = await agi(`STREAM FILE ${path} "${KEYS}"`);
    await rm(`${path}.wav`, { force: true });
    // So it answers of a file that it cannot open, too.
    if (key === '' && endpos === '0') throw new Error('Asterisk could not play what was spoken');
    call.heard = true;
    return key;
  };
  let said = { ...call.spoken, afterwards: call.keyUrl ? 'await_key' : 'hang_up' };
  for (let turn = 0; turn < 8; turn++) {
    if (said.afterwards !== 'await_key') return void (await says(said.language, [...said.sentences, said.goodbye]));
    const all = [...said.sentences, said.menu];
    const once = async () => (await says(said.language, all)) || (await agi('WAIT FOR DIGIT 5000')).key;
    const pressed = (await once()) || (await once());
    const { language, goodbye } = said;
    said = await tell(call, call.keyUrl, { key: pressed });
    if (said?.do !== 'speak') return void (await says(language, [goodbye]));
  }
}

const HUNG_UP = 'hung up';

/** FastAGI: Asterisk asks what to do with a call that was answered. */
createSocketServer(async socket => {
  socket.on('error', () => {});
  const lines = linesOf(socket)[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(HUNG_UP);
    return value;
  };
  /** Does a command; returns the key that was pressed meanwhile, empty for none, and how far a file was played. */
  const agi = async command => {
    socket.write(`${command}\n`);
    for (;;) {
      const [, result, endpos] = /^200 result=(-?\d+)(?:.* endpos=(\d+))?/.exec(await next()) ?? [];
      if (result === '-1') throw new Error(HUNG_UP);
      if (result !== undefined) return { key: result === '0' ? '' : String.fromCharCode(Number(result)), endpos };
    }
  };
  let call;
  let state = { state: 'delivered' };
  try {
    for (let line = await next(); line !== ''; line = await next()) {
      if (line.startsWith('agi_network_script: ')) call = calls.get(line.slice('agi_network_script: '.length));
    }
    if (call !== undefined) {
      call.asked = true;
      await converse(call, agi);
    }
  } catch (error) {
    log(call?.id ?? 'nobody', error.message);
    if (error.message !== HUNG_UP && !call?.heard) state = { state: 'failed', reason: 'nothing could be said' };
  }
  socket.end('HANGUP\n');
  if (call === undefined) return;
  calls.delete(call.id);
  log(call.id, state.reason ?? 'answered');
  await tell(call, call.statusUrl, state);
}).listen(Number(set.AGI_PORT), set.AGI_HOST);

/** What Tocsin posts. While a call is under way the same one again is not a second call. */
async function take(request, body) {
  if (request.method !== 'POST' || !isSigned(request, body)) return [401, { error: 'the signature is wrong' }];
  const call = JSON.parse(body);
  if (call.kind !== 'call') return [422, { error: 'this gateway makes calls only' }];
  if (!/^\w{1,64}$/.test(call.id) || !/^\+[1-9]\d{7,14}$/.test(call.to)) return [422, { error: 'invalid number' }];
  if (calls.has(call.id)) return [202, { ref: call.id }];
  calls.set(call.id, call);
  const problem = await originate(call, state => {
    calls.delete(call.id);
    log(call.id, state.reason ?? state.state);
    tell(call, call.statusUrl, state);
  });
  if (problem === null) return [202, { ref: call.id }];
  calls.delete(call.id);
  log(call.id, problem);
  return [429, { error: 'Asterisk does not take calls' }];
}

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) if (body.length < 100_000) body += chunk;
  const [status, content] = await take(request, body).catch(error => [400, { error: error.message }]);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}).listen(Number(set.PORT), () => log('gateway', `listens on port ${set.PORT}`));
