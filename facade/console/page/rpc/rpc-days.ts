import { createClient } from '@connectrpc/connect';
import { DayService } from '../../../../gen/tocsin/console/v1/days_pb.ts';
import { transport } from './rpc.ts';

export const pastDays = createClient(DayService, transport);
