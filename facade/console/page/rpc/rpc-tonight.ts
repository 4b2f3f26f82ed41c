import { createClient } from '@connectrpc/connect';
import { TonightService } from '../../../../gen/tocsin/console/v1/tonight_pb.ts';
import { transport } from './rpc.ts';

/** Home needs it, so it is fetched with the rest of Home. */
export const tonight = createClient(TonightService, transport);
