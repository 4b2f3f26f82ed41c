import { createClient } from '@connectrpc/connect';
import { TonightService } from '../../../../gen/tocsin/console/v1/tonight_pb.ts';
import { transport } from './rpc.ts';

/** Home asks it, which is what is fetched first: it is fetched beside. */
export const tonight = createClient(TonightService, transport);
