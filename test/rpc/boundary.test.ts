import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { Health } from '../../gen/grpc/health/v1/health_pb.ts';
import { implementation } from '../../services/rpc/boundary.ts';
import { createDirectTransport } from '../../services/rpc/direct.ts';
import { CommitLost } from '../../services/store/statement.ts';

/** What a caller is told where both methods of a service throw `thrown`: by a unary call, and by a stream after its first answer. */
async function toldOf(thrown: unknown): Promise<ConnectError[]> {
  const service = implementation(Health, {
    check: () => {
      throw thrown;
    },
    async *watch() {
      yield {};
      throw thrown;
    },
  });
  const client = createClient(Health, createDirectTransport([service]));
  const watching = async () => {
    for await (const _ of client.watch({}));
  };
  return Promise.all([client.check({}), watching()].map(call => call.then(() => expect.fail(), ConnectError.from)));
}

test.each([
  ['a lost connection', Object.assign(new Error('terminated'), { code: '57P01' }), Code.Unavailable, /try again\.$/],
  ['a commit that nobody confirmed', new CommitLost(), Code.Unavailable, /stored or not/],
  ['a wrong statement', Object.assign(new Error('no such column'), { code: '42703' }), Code.Internal, /on our side/],
  ['a wrong program', new TypeError('x is not a function'), Code.Internal, /on our side/],
  ['a text that no database takes', Object.assign(new Error(), { code: '22021' }), Code.InvalidArgument, /U\+0000/],
  ['a refusal', new ConnectError('No such thing.', Code.NotFound), Code.NotFound, /^No such thing\.$/],
])('%s is told alike by a call and by a stream, without its own words', async (_what, thrown, code, words) => {
  for (const { code: told, rawMessage } of await toldOf(thrown)) {
    expect([told, rawMessage]).toEqual([code, expect.stringMatching(words)]);
  }
});
