import { createClient } from '@connectrpc/connect';
import { ApiKeyService } from '../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { DeploymentService } from '../../../gen/tocsin/console/v1/deployment_pb.ts';
import { DrillService } from '../../../gen/tocsin/console/v1/drills_pb.ts';
import { PolicyService } from '../../../gen/tocsin/console/v1/policies_pb.ts';
import { transport } from './rpc.ts';

/** What only the screens of alarms and panic buttons call, fetched with them. */
export const apiKeys = createClient(ApiKeyService, transport);
export const deployment = createClient(DeploymentService, transport);
export const drills = createClient(DrillService, transport);
export const policies = createClient(PolicyService, transport);
