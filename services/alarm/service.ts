import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { RefusalSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import type { Accept, Acceptance, Receipt } from '../engine/accept/accept.ts';
import type { Call } from '../engine/accept/call.ts';
import { recordSpan } from '../process/traces.ts';
import { apiKeyOf, badKey, clientOf, spanPlaceOf, tooManyCalls, traceOf } from '../rpc/auth.ts';

/** The eight actions of SPEC.md 4. Each hands its call to the engine and returns the receipt or a refusal. */
export function createAlarmService(accept: Accept): ServiceImpl<typeof AlarmService> {
  const receipts = createReceipts();

  async function take<Output extends ReceiptSchema>(
    context: HandlerContext,
    { output }: { output: Output },
    call: AskedOf,
  ): Promise<MessageShape<Output>> {
    const from = () => clientOf(context);
    const asked = { ...call, secret: apiKeyOf(context), ...traceOf(context), from };
    const acceptance = await (recordSpan === null ? accept(asked) : traced(context, asked));
    if (acceptance.verdict !== 'accepted') throw refusalOf(acceptance, call.modeWord ?? '');
    return receipts(output, acceptance);
  }

  async function traced(context: HandlerContext, call: Call): Promise<Acceptance> {
    const beganAt = Date.now();
    let outcome: Acceptance['verdict'] | 'unavailable' = 'unavailable';
    try {
      const acceptance = await accept(call);
      outcome = acceptance.verdict;
      return acceptance;
    } finally {
      recordSpan?.({
        name: `accept ${call.verb}`,
        traceId: call.traceId,
        kind: 'server',
        beganAt,
        endedAt: Date.now(),
        result: outcome === 'unavailable' ? 'failed' : 'ok',
        attributes: { 'tocsin.outcome': outcome, 'tocsin.verb': call.verb, 'tocsin.source': call.kind },
        ...spanPlaceOf(context),
      });
    }
  }

  const { arm, disarm, trigger, clear, triggerPanic, clearPanic } = AlarmService.method;
  return {
    arm: ({ alarmId, modeId }, context) =>
      take(context, arm, { kind: 'alarm', sourceId: alarmId, verb: 'arm', modeWord: modeId }),
    disarm: ({ alarmId }, context) => take(context, disarm, { kind: 'alarm', sourceId: alarmId, verb: 'disarm' }),
    trigger: ({ alarmId, modeId }, context) =>
      take(context, trigger, { kind: 'alarm', sourceId: alarmId, verb: 'trigger', modeWord: modeId }),
    clear: ({ alarmId }, context) => take(context, clear, { kind: 'alarm', sourceId: alarmId, verb: 'clear' }),
    triggerPanic: ({ panicId }, context) =>
      take(context, triggerPanic, { kind: 'panic_button', sourceId: panicId, verb: 'trigger' }),
    clearPanic: ({ panicId }, context) =>
      take(context, clearPanic, { kind: 'panic_button', sourceId: panicId, verb: 'clear' }),
  };
}

/** The responses of all actions have the same fields. */
type ReceiptSchema = (typeof AlarmService)['method'][keyof (typeof AlarmService)['method']]['output'];

/**
 * Makes the message of each receipt once, as long as its source is judged by the same facts: whoever is given the same message
 * need not write it out again either (facade/rest.ts).
 */
function createReceipts() {
  const made = new Map<DescMessage, WeakMap<Receipt['location'], unknown>>();
  return <Output extends ReceiptSchema>(schema: Output, { environment, location }: Receipt): MessageShape<Output> => {
    const known = made.get(schema) ?? new WeakMap();
    const message = known.get(location) ?? create<ReceiptSchema>(schema, { environment, location });
    known.set(location, message);
    made.set(schema, known);
    return message as MessageShape<Output>;
  };
}

/** What the request of a call names. */
type AskedOf = Pick<Call, 'kind' | 'sourceId' | 'verb' | 'modeWord'>;

/** Returns the answer to a call that was not accepted. */
function refusalOf(refused: Exclude<Acceptance, Receipt>, word: string): ConnectError {
  switch (refused.verdict) {
    case 'key_unknown':
    case 'key_revoked':
    case 'key_expired':
      return badKey();
    case 'too_many':
      return tooManyCalls(refused.retryAfterS);
    case 'disk_low':
      return new ConnectError(
        'The disk of the database is nearly full, and what is left is kept for live triggers. Send the call again later.',
        Code.Unavailable,
        { 'retry-after': '60' },
      );
    case 'unknown_mode':
      return notFound('unknown_mode', shownWord(word));
    case 'not_found':
    case 'source_disabled':
    case 'mode_missing':
    case 'held_by_gate':
      return notFound('not_found', '');
  }
}

/**
 * SPEC.md 7: the same answer for every source that is out of reach or cannot fire; only an unknown mode word is
 * explained.
 */
function notFound(reason: 'not_found' | 'unknown_mode', mode: string): ConnectError {
  const message =
    reason === 'unknown_mode'
      ? `Unknown mode${mode && ` "${mode}"`}: use home, away, night or vacation.`
      : 'ID not found, or it cannot be used with this key.';
  return new ConnectError(message, Code.NotFound, undefined, [{ desc: RefusalSchema, value: { reason, mode } }]);
}

/**
 * Returns as much of an unknown word as may be shown: at most 64 characters, and nothing of a word that contains other
 * signs (DECISIONS.md "Unknown modeId").
 */
function shownWord(word: string): string {
  return /^[\p{L}\p{Nd} _-]*$/u.test(word) ? [...word].slice(0, 64).join('') : '';
}
