import { createClient } from '@connectrpc/connect';
import { DutyService } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { PolicyService } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { transport } from './rpc.ts';

/** Used by screens that load later, so they load with them. */
export const duties = createClient(DutyService, transport);
export const policies = createClient(PolicyService, transport);
