import { createClient } from '@connectrpc/connect';
import { DutyService } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { PolicyService } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { transport } from './rpc.ts';

/** Only fetched screens use them: they are fetched with those. */
export const duties = createClient(DutyService, transport);
export const policies = createClient(PolicyService, transport);
