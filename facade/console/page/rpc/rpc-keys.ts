import { createClient } from '@connectrpc/connect';
import { ApiKeyService } from '../../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { transport } from './rpc.ts';

/** Only fetched screens use it: it is fetched with them. */
export const apiKeys = createClient(ApiKeyService, transport);
