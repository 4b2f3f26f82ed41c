import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  type ApiKey,
  ApiKeySchema,
  CreateApiKeyResponseSchema,
  GetApiKeyResponseSchema,
  RevokeApiKeyResponseSchema,
  RotateApiKeyResponseSchema,
  UpdateApiKeyResponseSchema,
} from '../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { changed, onVersionRead } from '../change.ts';
import { parseDuration } from '../duration.ts';
import { EXPIRES, moment } from '../expires.ts';
import { examples, howNamed, keyFlag } from '../flags.ts';
import { apiKeyLines, secretLines } from '../key-lines.ts';
import { namesOf } from '../names.ts';
import { collect, type PageOptions, pageFlags } from '../pages.ts';
import type { Act } from '../session.ts';
import { time } from '../text.ts';

interface Options {
  label?: string;
  key?: string;
  alarm?: string;
  expires?: string | false;
  lookUrl?: string;
  supervision?: string | false;
  onSilence?: string;
}

const LOOK_URL = 'page that people alerted are shown a link to, such as that of a camera';

const SUPERVISION = 'tell the owners if it is silent for so long while something it reaches is armed, 2m to 7d';

const ON_SILENCE =
  'what follows if it is silent: notify (the owners are told), or alert (its alarm is triggered as well; only with --alarm)';

const NAMED = howNamed('the API key', 'front-camera');

/** `tocsin keys`: the keys that give access to /v1 (SPEC.md 5, DECISIONS.md "Key format"). */
export function addKeys(program: Command, act: Act): void {
  const keys = program.command('keys');

  const create = keys.command('create').description('creates a key and shows its secret once');
  create
    .requiredOption('--label <label>', 'the device that calls with it: messages say by this name what tripped')
    .addOption(keyFlag())
    .option('--alarm <alarm>', 'the only alarm that it reaches: id or key; without it the whole account')
    .option('--look-url <url>', LOOK_URL)
    .option('--expires <when>', `${EXPIRES}; without it never`)
    .option('--supervision <duration>', `${SUPERVISION}; without it, nobody is told`)
    .option('--on-silence <what>', `${ON_SILENCE}; without it notify`);
  examples(create, 'keys create --label "Front camera" --alarm house').action(
    act(async (session, { alarm: alarmId = '', expires, supervision, ...given }: Options) => {
      const { label, key = '', lookUrl = '', onSilence = '' } = given;
      const supervisionS = secondsOf(supervision) ?? 0;
      const ends = expires ? { expiresAt: moment(expires) } : {};
      const apiKey = { label: label!, key, alarmId, lookUrl, supervisionS, onSilence, ...ends };
      const answer = await session.rpc.keys.createApiKey({ apiKey });
      const lines = await secretLines(session, answer.secret);
      session.answer(CreateApiKeyResponseSchema, answer, () => [
        session.paint('green', `Created the API key ${clean(answer.apiKey!.label)} (${answer.apiKey!.key}).`),
        ...lines,
      ]);
    }),
  );

  const list = pageFlags(keys.command('list').description('lists the keys, revoked ones too, oldest first'));
  examples(list, 'keys list').action(
    act(async (session, options: PageOptions) => {
      const page = await collect(options, async (pageSize, pageToken) => {
        const answer = await session.rpc.keys.listApiKeys({ pageSize, pageToken });
        return { items: answer.apiKeys, nextPageToken: answer.nextPageToken };
      });
      session.list(
        ApiKeySchema,
        page,
        COLUMNS,
        'There are no API keys yet. Create one: tocsin keys create --label Camera',
      );
    }),
  );

  const show = keys.command('show').description('shows one key, without its secret').argument('<key>', NAMED);
  examples(show, 'keys show front-camera').action(
    act(async (session, _options: object, apiKeyId: string) => {
      const answer = await session.rpc.keys.getApiKey({ apiKeyId });
      const name = await namesOf(session, [{ kind: 'alarm', id: answer.apiKey!.alarmId }]);
      session.answer(GetApiKeyResponseSchema, answer, () => apiKeyLines(answer.apiKey!, name));
    }),
  );

  const update = keys
    .command('update')
    .description('changes label, key, look-here link, expiry or supervision; its reach never changes');
  update
    .argument('<key>', NAMED)
    .option('--label <label>', 'the device that calls with it')
    .addOption(keyFlag())
    .option('--look-url <url>', `${LOOK_URL}; "" for none`)
    .option('--expires <when>', EXPIRES)
    .option('--no-expires', 'never expires')
    .option('--supervision <duration>', SUPERVISION)
    .option('--no-supervision', 'nobody is told if it is silent')
    .option('--on-silence <what>', ON_SILENCE);
  examples(update, 'keys update front-camera --expires 90d').action(
    act(async (session, { label, key, lookUrl, expires, supervision, onSilence }: Options, apiKeyId: string) => {
      // Named in the mask but absent from the message: it never expires.
      const expiresAt = expires === undefined ? undefined : expires === false ? null : moment(expires);
      const { values, paths } = changed(
        { label, key, lookUrl, expiresAt, supervisionS: secondsOf(supervision), onSilence },
        '--label, --key, --look-url, --expires, --no-expires, --supervision, --no-supervision, --on-silence',
      );
      const { apiKey: read } = await session.rpc.keys.getApiKey({ apiKeyId });
      const { expiresAt: end, ...rest } = values;
      const apiKey = { ...rest, ...(end ? { expiresAt: end } : {}), id: read!.id, version: read!.version };
      const answer = await onVersionRead(session, { what: 'API key', thing: read! }, () =>
        session.rpc.keys.updateApiKey({ apiKey, updateMask: { paths } }),
      );
      const name = await namesOf(session, [{ kind: 'alarm', id: answer.apiKey!.alarmId }]);
      session.answer(UpdateApiKeyResponseSchema, answer, () => apiKeyLines(answer.apiKey!, name));
    }),
  );

  const rotate = keys.command('rotate').description('creates a new secret; the old ones end after the overlap');
  rotate.argument('<key>', NAMED).option('--overlap <duration>', 'how long the old ones keep working, 0 to 30d (1d)');
  examples(rotate, 'keys rotate front-camera --overlap 7d').action(
    act(async (session, { overlap }: { overlap?: string }, apiKeyId: string) => {
      const overlapS = overlap === undefined ? {} : { overlapS: parseDuration(overlap, '--overlap') };
      const answer = await session.rpc.keys.rotateApiKey({ apiKeyId, ...overlapS });
      const lines = await secretLines(session, answer.secret);
      session.answer(RotateApiKeyResponseSchema, answer, () => [
        session.paint('green', `Created a new secret for ${clean(answer.apiKey!.label)}.`),
        ...apiKeyLines(answer.apiKey!, id => id).filter(line => line.startsWith('  ')),
        ...lines,
      ]);
    }),
  );

  const revoke = keys.command('revoke').description('ends a key at once: the next call with it is a 401');
  examples(revoke.argument('<key>', NAMED), 'keys revoke front-camera').action(
    act(async (session, _options: object, apiKeyId: string) => {
      const answer = await session.rpc.keys.revokeApiKey({ apiKeyId });
      session.answer(RevokeApiKeyResponseSchema, answer, () => [`Revoked the API key ${clean(answer.apiKey!.label)}.`]);
    }),
  );
}

/** Undefined: it is not to be changed. */
function secondsOf(supervision: Options['supervision']): number | undefined {
  if (supervision === undefined) return undefined;
  return supervision === false ? 0 : parseDuration(supervision, '--supervision');
}

const COLUMNS = [
  ['key', ({ key }: ApiKey) => key],
  ['label', ({ label }: ApiKey) => label],
  ['status', ({ status }: ApiKey) => status],
  ['reaches', ({ alarmId }: ApiKey) => alarmId || 'the account'],
  ['secret', ({ secrets }: ApiKey) => secrets.map(({ last4 }) => `…${last4}`).join(' ')],
  ['last used', ({ lastUsedAt }: ApiKey) => (lastUsedAt === undefined ? 'never' : time(timestampDate(lastUsedAt)))],
  ['silent since', ({ silentSince }: ApiKey) => (silentSince === undefined ? '' : time(timestampDate(silentSince)))],
  ['id', ({ id }: ApiKey) => id],
] as const;
