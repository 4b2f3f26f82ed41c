import { createClient } from '@connectrpc/connect';
import { ContactService } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { DeploymentService } from '../../../../gen/tocsin/console/v1/deployment_pb.ts';
import { DrillService } from '../../../../gen/tocsin/console/v1/drills_pb.ts';
import { transport } from './rpc.ts';

/** Used by screens that load later, so it loads with them. */
export const contacts = createClient(ContactService, transport);
export const deployment = createClient(DeploymentService, transport);
export const drills = createClient(DrillService, transport);
