import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { GetDeploymentResponse } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import { clean } from '../../services/process/text.ts';
import { type Check, fail, ok, warn } from './check.ts';
import { stamp } from './timeline.ts';

/** Links that only open on Tocsin's own machine, or at home, are useless to people alerted elsewhere. */
export function links({ publicUrl, networkUrls, linksLead }: GetDeploymentResponse): Check {
  if (publicUrl === '')
    return warn(
      'links',
      'Messages carry no link to respond with.',
      'Set PUBLIC_URL where Tocsin runs, or call tocsin public-url set.',
    );
  const [first] = networkUrls;
  if (linksLead === 'network')
    return warn(
      'links',
      `Links in messages lead to ${clean(publicUrl)}, which opens only in its own network, and carriers do not reach it.`,
      'Set PUBLIC_URL where Tocsin runs, or call tocsin public-url set, to an address that the whole internet reaches, such as a name behind a proxy or a tunnel.',
    );
  if (linksLead !== 'this_machine') return ok('links', `Links in messages lead to ${clean(publicUrl)}.`);
  return fail(
    'links',
    `Links in messages lead to ${clean(publicUrl)}, which opens only on the machine that runs Tocsin.`,
    `Set PUBLIC_URL where Tocsin runs, or call tocsin public-url set${first === undefined ? '' : `, in your own network for example ${clean(first)}`}.`,
  );
}

/** How long PUBLIC_URL may take to answer, in milliseconds. */
const ROUND_TRIP_MS = 5_000;

/** What comes when this machine asks PUBLIC_URL: a way there is shown, though not that carriers have one too. */
export async function roundTrip({ publicUrl, linksLead }: GetDeploymentResponse, ended: AbortSignal): Promise<Check[]> {
  if (publicUrl === '' || linksLead === 'this_machine') return [];
  const url = clean(publicUrl);
  const fix = 'Check PUBLIC_URL, its DNS and certificate, and the proxy or router that leads from there to Tocsin.';
  try {
    const signal = AbortSignal.any([ended, AbortSignal.timeout(ROUND_TRIP_MS)]);
    const answer = await fetch(`${publicUrl}/livez`, { redirect: 'manual', signal });
    await answer.body?.cancel();
    if (answer.status === 200) return [ok('way', `Asked from here, ${url} answers.`)];
    return [warn('way', `Asked from here, ${url}/livez answers ${answer.status}: it may lead to something else.`, fix)];
  } catch (error) {
    if (ended.aborted) throw error;
    return [warn('way', `Asked from here, ${url} does not answer${whyNot(error)}.`, fix)];
  }
}

function whyNot(error: unknown): string {
  const { cause, name } = error as { cause?: { code?: unknown }; name?: unknown };
  if (name === 'TimeoutError') return ` within ${ROUND_TRIP_MS / 1000} s`;
  return typeof cause?.code === 'string' ? ` (${clean(cause.code)})` : '';
}

/** From where people can respond, where that is not from anywhere. */
const RESPOND: Readonly<Record<string, string>> = {
  network: 'People can respond only by the link, in the network of PUBLIC_URL.',
  nowhere: 'Nobody can respond: PUBLIC_URL is not reached from outside.',
};

const OUTSIDE_URL = 'Set PUBLIC_URL where Tocsin runs to an address that the whole internet reaches.';

/** After how long the end of a call is reported at the latest, in milliseconds. */
const CALL_ENDS_MS = 10 * 60_000;

/** Every call ends, and its carrier says so to PUBLIC_URL: silence shows that it cannot. */
function isUnreported({ channel, lastStatus, lastAt }: GetDeploymentResponse['channels'][number]): boolean {
  if (channel !== 'call' || lastStatus !== 'sent' || lastAt === undefined) return false;
  return Date.now() - timestampDate(lastAt).getTime() > CALL_ENDS_MS;
}

/** Whether a channel has a carrier, whether that answers, and the outcome of the last message. */
export function channel(found: GetDeploymentResponse['channels'][number]): Check {
  const { channel, state, asked, problem, settings } = found;
  if (asked === 'fails') {
    return fail(channel, `The carrier does not work: ${clean(problem)}.${last(found)}`, `Check ${settings}.`);
  }
  if (state === 'carrier') {
    const works =
      asked === 'answers' ? 'The carrier answers.' : 'A carrier is set up, but cannot be tested without sending.';
    const down = found.carriers.filter(one => one.asked === 'fails');
    if (down.length > 0) {
      const each = down.map(({ name, problem }) => `${name} does not work: ${clean(problem)}`).join('; ');
      return warn(channel, `${each}. Another carrier stands by.${last(found)}`, `Check ${settings}.`);
    }
    const failed = found.lastStatus === 'failed' || found.lastStatus === 'no_carrier';
    const said = `${works}${last(found)}`;
    const limited = RESPOND[found.respondFrom];
    if (limited !== undefined) return warn(channel, `${said} ${limited}`, OUTSIDE_URL);
    if (isUnreported(found)) {
      const silent = 'The carrier has reported nothing about it since: it may not reach PUBLIC_URL.';
      return warn(channel, `${said} ${silent}`, "Open PUBLIC_URL from outside, and check the carrier's own log.");
    }
    return failed ? warn(channel, said, 'tocsin drill tries it.') : ok(channel, said);
  }
  const fix =
    settings === ''
      ? 'Do not rely on it in a policy.'
      : `Set ${settings} where Tocsin runs, or set it up with tocsin carriers.`;
  return warn(channel, 'No carrier is set up: messages are kept here and reach nobody.', fix);
}

/** Where each carrier is set up, and what of that cannot be used. Only the operator is told. */
export function setUpCarriers({ setUpCarriers: all, publicUrl }: GetDeploymentResponse): Check[] {
  const from = ['environment', 'console'].flatMap(place => {
    const names = all.filter(({ setIn, leftOut }) => setIn === place && leftOut === '').map(({ name }) => clean(name));
    return names.length === 0 ? [] : [`${names.join(', ')} in the ${place}`];
  });
  const left = all.filter(({ leftOut }) => leftOut !== '');
  const rings = all.some(({ name, leftOut }) => name === 'web-push' && leftOut === '');
  return [
    ...(from.length === 0 ? [] : [ok('carriers', `Set up: ${from.join('; ')}.`)]),
    ...left.map(({ name, leftOut }) => {
      const found = `What is stored for ${clean(name)} cannot be used, and is left out: ${clean(leftOut)}`;
      return fail(
        'carriers',
        found,
        `Set it up anew: tocsin carriers set ${clean(name)}, or tocsin carriers remove ${clean(name)}.`,
      );
    }),
    ...(rings && publicUrl.startsWith('http:') ? [ringsNowhere(publicUrl)] : []),
  ];
}

function ringsNowhere(publicUrl: string): Check {
  return warn(
    'carriers',
    `web-push is set up, but links lead to ${clean(publicUrl)}: browsers let themselves be rung only from addresses that begin with https://.`,
    'Set PUBLIC_URL where Tocsin runs, or call tocsin public-url set, to an address that begins with https://.',
  );
}

/** The outcome of the last message. */
function last({ lastStatus, lastReason, lastAt }: GetDeploymentResponse['channels'][number]): string {
  if (lastAt === undefined) return '';
  const why = lastReason === '' ? '' : ` (${clean(lastReason)})`;
  return ` The last message, ${stamp(lastAt)}: ${lastStatus}${why}.`;
}
