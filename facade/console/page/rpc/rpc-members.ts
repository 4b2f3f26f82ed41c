import { createClient } from '@connectrpc/connect';
import { MemberService } from '../../../../gen/tocsin/console/v1/members_pb.ts';
import { transport } from './rpc.ts';

/** Used by the screens of people and of the settings, so it loads with them. */
export const members = createClient(MemberService, transport);
