import { createClient } from '@connectrpc/connect';
import { AuditService } from '../../../../gen/tocsin/console/v1/audit_pb.ts';
import { transport } from './rpc.ts';

/** Only the screen of the notices uses it: it is fetched with that. */
export const audit = createClient(AuditService, transport);
