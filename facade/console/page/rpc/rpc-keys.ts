import { createClient } from '@connectrpc/connect';
import { ApiKeyService } from '../../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { transport } from './rpc.ts';

/** Used by screens that load later, so it loads with them. */
export const apiKeys = createClient(ApiKeyService, transport);
