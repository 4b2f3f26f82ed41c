import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import type { CarrierAnswer, CarrierNews } from '../../services/channels/channel.ts';
import { createTwilioCallback } from '../../services/channels/twilio/callback.ts';
import { createTwilioChannel } from '../../services/channels/twilio/send.ts';
import { whatsApp } from '../../services/channels/twilio/whatsapp-carrier.ts';
import type { IncidentAlert } from '../../services/domain/alert.ts';
import { A_WAY_BACK, anAlert } from '../support/alert.ts';
import { startTwilio } from '../support/twilio.ts';
import { parseTwiml } from '../support/twiml.ts';

export const ANNA = '+4366012345678';
const NOTED: CarrierAnswer = { kind: 'noted' };

export function answerOf(answer: CarrierAnswer) {
  const { status, contentType, body } = createTwilioCallback({ authToken: 't' }).answer(answer);
  expect([status, contentType]).toEqual([200, 'text/xml; charset=utf-8']);
  return parseTwiml(body);
}

/**
 * A carrier, and a server that hands its requests to the door: `requests` are those, `news` is what was read, `answers` what to
 * answer next. `alert` is one whose answers lead there.
 */
export async function rig() {
  const twilio = await startTwilio();
  const doors = { twilio: createTwilioCallback(twilio.settings), whatsapp: whatsApp.callback(twilio.whatsApp) };
  const news: CarrierNews[] = [];
  const answers: CarrierAnswer[] = [];
  const requests: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    const headers = { 'x-twilio-signature': String(request.headers['x-twilio-signature'] ?? '') };
    requests.push({ headers, body });
    const [, , carrier, topic = ''] = (request.url ?? '').split('/');
    const door = doors[carrier === 'whatsapp' ? carrier : 'twilio'];
    const read = door.read({ topic, url: url + request.url, headers, body });
    news.push(read);
    if (read.kind === 'forged' || read.kind === 'unreadable') {
      response.writeHead(read.kind === 'forged' ? 403 : 400).end();
      return;
    }
    const answer = door.answer(answers.shift() ?? NOTED);
    response.writeHead(answer.status, answer.contentType === '' ? {} : { 'content-type': answer.contentType });
    response.end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await twilio.stop();
  });
  const on = { settings: twilio.settings, log: pino({ level: 'silent' }) };
  const text = createTwilioChannel({ kind: 'text', ...on });
  const call = createTwilioChannel({ kind: 'call', ...on });
  const alert: IncidentAlert = anAlert({ wayBack: { ...A_WAY_BACK, carrierUrl: `${url}/carrier` } });
  return { twilio, text, call, url, news, answers, requests, alert };
}
