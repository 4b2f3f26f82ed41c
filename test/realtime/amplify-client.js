import { createInterface } from 'node:readline';
import { Amplify } from 'aws-amplify';
import { events } from 'aws-amplify/data';
import { Hub } from 'aws-amplify/utils';

/*
 * An application that listens with aws-amplify as its documentation says, and does what it is told: one JSON object a line, in
 * and out. It runs in a folder in which npm has put that package (test/support/amplify-package.ts).
 */

/** Of the two ways to show a key, the one of an API key is configured once, the other goes with each call. */
let auth = {};

const does = {
  configure({ endpoint, key, style }) {
    if (style === 'lambda') auth = { authMode: 'lambda', authToken: key };
    const apiKey = style === 'apiKey' ? key : 'unused';
    Amplify.configure({ API: { Events: { endpoint, region: 'local', defaultAuthMode: 'apiKey', apiKey } } });
  },
  /** Answers when the subscription is granted, or with why it is not. */
  async listen({ channel }) {
    const open = await events.connect(channel, auth);
    const next = ({ event }) => say({ heard: event });
    const error = fault => say({ failed: reason(fault) });
    await open.subscribe({ next, error }, auth).ready;
  },
  async publish({ channel, event }) {
    const open = await events.connect(channel, auth);
    await open.publish(event, auth);
  },
  async post({ channel, event }) {
    await events.post(channel, event, auth);
  },
};

Hub.listen('api', ({ payload: { event, data } }) => {
  if (event === 'Subscription ack') say({ granted: data.query });
  if (event === 'ConnectionStateChange') say({ state: data.connectionState });
});

createInterface({ input: process.stdin })
  .on('line', async line => {
    const { call, verb, ...rest } = JSON.parse(line);
    try {
      await does[verb](rest);
      say({ answered: call, refusal: null });
    } catch (fault) {
      say({ answered: call, refusal: reason(fault) });
    }
  })
  .on('close', () => process.exit());

function say(word) {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

function reason(fault) {
  return fault.errors?.[0]?.message ?? fault.message ?? String(fault);
}
