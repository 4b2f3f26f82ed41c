import { createClient } from '@connectrpc/connect';
import { PolicyService } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { transport } from './rpc.ts';

/** Only fetched screens use it: it is fetched with them. */
export const policies = createClient(PolicyService, transport);
