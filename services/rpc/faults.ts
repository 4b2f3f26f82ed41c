import { Code, ConnectError } from '@connectrpc/connect';
import type { Logger } from 'pino';

/** What a caller sees as INTERNAL or UNKNOWN is ours to mend: the cause goes to the log and nowhere else. */
export function logFault(log: Logger, fault: ConnectError, method: string): void {
  if (fault.code !== Code.Internal && fault.code !== Code.Unknown) return;
  log.error({ err: fault.cause ?? fault, method }, 'an RPC failed');
}

/** A fault as the caller may see it. What nobody foresaw is INTERNAL, and its words stay here. */
export function seenByCaller(fault: unknown): ConnectError {
  if (fault instanceof ConnectError) return fault;
  return new ConnectError('internal error', Code.Internal, undefined, undefined, fault);
}
