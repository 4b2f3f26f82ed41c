import { createClient } from '@connectrpc/connect';
import { CarrierService } from '../../../../gen/tocsin/console/v1/carriers_pb.ts';
import { ConfigurationService } from '../../../../gen/tocsin/console/v1/configuration_pb.ts';
import { DeploymentService } from '../../../../gen/tocsin/console/v1/deployment_pb.ts';
import { patientTransport, transport } from './rpc.ts';

/*
 * Clients that only the screens of the settings use: they are fetched with those.
 */

export const carriers = createClient(CarrierService, transport);
export const configuration = createClient(ConfigurationService, patientTransport);
export const deployment = createClient(DeploymentService, transport);
