import { createOutbound, type Outbound, REFUSED } from '../outbound.ts';

/** The push services of the browsers there are, as their hosts end. */
const SERVICES = ['.fcm.googleapis.com', '.push.services.mozilla.com', '.push.apple.com', '.notify.windows.com'];

/** The longest endpoint, in characters. */
const LONGEST = 1_000;

/**
 * Creates the check of endpoints: a stranger's browser names them, so that they may lead to the push services of browsers alone, and to what
 * OUTBOUND_NETWORKS allows.
 */
export function createEndpointCheck(networks: readonly string[]) {
  const toServices = createOutbound([]);
  const inside = createOutbound(networks, undefined, 'nothing');
  return (endpoint: string): Outbound => {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
    if (url === null || endpoint.length > LONGEST || url.username !== '' || url.password !== '') {
      return { kind: 'not_allowed', reason: `${REFUSED}: it is no endpoint of a push service` };
    }
    if (isService(url)) return toServices(endpoint);
    const allowed = inside(endpoint);
    return allowed.kind === 'allowed' && networks.length > 0 ? allowed : NO_SERVICE;
  };
}

const NO_SERVICE: Outbound = { kind: 'not_allowed', reason: `${REFUSED}: it is at no push service that Tocsin knows` };

function isService({ protocol, hostname, port }: URL): boolean {
  return protocol === 'https:' && port === '' && SERVICES.some(ending => `.${hostname}`.endsWith(ending));
}
