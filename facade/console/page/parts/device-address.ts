import { baseOf } from '../../../recipes/recipe.ts';
import { useQuery } from '../live/use-query.ts';
import { READ_OF_CARRIERS } from '../rpc/rpc.ts';
import { deployment } from '../rpc/rpc-people.ts';
import { addressOf } from '../way/router.ts';

/** Where this page was opened, without a slash at the end. */
export const pageAddress = () => addressOf('./').replace(/\/$/, '');

/** Asks where devices reach this deployment, which all texts for them say alike: PUBLIC_URL, not where this page was opened. */
export function useDeviceAddress() {
  const found = useQuery('deployment', () => deployment.getDeployment({}, READ_OF_CARRIERS), '', 'slow');
  return { found, base: found.data === null ? null : baseOf(found.data, pageAddress()) };
}
