import { createClient } from '@connectrpc/connect';
import { AuditService } from '../../../../gen/tocsin/console/v1/audit_pb.ts';
import { transport } from './rpc.ts';

/** Used by the screen of notices only, so it loads with that. */
export const audit = createClient(AuditService, transport);
