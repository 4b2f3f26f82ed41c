import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { ApiKey } from '../../gen/tocsin/console/v1/api_keys_pb.ts';
import { formatDuration } from './duration.ts';
import type { Session } from './session.ts';
import { facts } from './table.ts';
import { time } from './text.ts';

/** Formats an API key without its secret: its last four characters tell secrets apart. */
export function apiKeyLines(key: ApiKey, name: (id: string) => string): string[] {
  return [
    ...facts([
      ['Label', key.label],
      ['Key', key.key],
      ['Id', key.id],
      ['Status', key.status],
      ['Reaches', key.alarmId === '' ? 'the whole account' : `the alarm ${name(key.alarmId)}`],
      ['Look here', key.lookUrl],
      ['Made', at(key.createdAt)],
      ['Ends', at(key.expiresAt)],
      ['Revoked', at(key.revokedAt)],
      ['Last used', at(key.lastUsedAt) || 'never'],
      ['from', key.lastUsedAddress],
      ['by', key.lastUsedAgent],
      ['Supervised', key.supervisionS === 0 ? notSupervised(key) : `by ${formatDuration(key.supervisionS)}`],
      ['If silent', key.supervisionS === 0 ? '' : key.onSilence],
      ['Alive', at(key.aliveAt)],
      ['Silent since', at(key.silentSince)],
      ['Version', String(key.version)],
    ]),
    ...key.secrets.map(({ last4, createdAt, endsAt }) => {
      const end = endsAt === undefined ? '' : `, ends ${at(endsAt)}`;
      return `  secret …${last4}, created ${at(createdAt)}${end}`;
    }),
  ];
}

function notSupervised({ proposedSupervisionS: fits }: ApiKey): string {
  return fits === 0 ? 'no' : `no; ${formatDuration(fits)} would fit how it calls`;
}

/** Shows a secret, this once, with a command to try it, which only reads. */
export async function secretLines(session: Session, secret: string): Promise<string[]> {
  if (session.format === 'json') return [];
  const url = await session.rpc.deployment.getDeployment({}).then(
    ({ publicUrl }) => publicUrl,
    () => '',
  );
  const describe = `${url || 'http://localhost:8080'}/v1/integration/describe`;
  return [
    '',
    `export TOCSIN_KEY=${secret}`,
    '',
    'It is shown only now and cannot be shown again. This tries it and fires nothing:',
    '',
    `curl -H "X-API-Key: $TOCSIN_KEY" ${describe}`,
  ];
}

function at(timestamp: Timestamp | undefined): string {
  return timestamp === undefined ? '' : time(timestampDate(timestamp));
}
