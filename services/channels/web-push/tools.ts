import type { PushTools } from '../devices.ts';
import { areKeys } from './encrypt.ts';
import { createEndpointCheck } from './endpoint.ts';
import { newVapidKey } from './vapid.ts';

/** What web push knows of subscriptions. `networks`: OUTBOUND_NETWORKS. */
export function createPushTools(networks: readonly string[]): PushTools {
  const check = createEndpointCheck(networks);
  return {
    newKey: newVapidKey,
    refusalOf(subscription) {
      const checked = check(subscription.endpoint);
      if (checked.kind === 'not_allowed') return { field: 'endpoint', problem: checked.reason };
      return areKeys(subscription) ? null : { field: 'p256dh', problem: 'they are no keys of a browser' };
    },
  };
}
