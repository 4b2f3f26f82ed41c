import { createClient } from '@connectrpc/connect';
import { ApiKeyService } from '../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { transport } from './rpc.ts';

/** Only the screen of the keys uses it: it is fetched with that. */
export const apiKeys = createClient(ApiKeyService, transport);
