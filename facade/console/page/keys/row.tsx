import { timestampDate } from '@bufbuild/protobuf/wkt';
import { useState } from 'preact/hooks';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { ApiKey } from '../../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { Chip, type Tone } from '../../design/parts.tsx';
import { Delete } from '../forms/delete.tsx';
import { isUnsaved } from '../forms/draft.ts';
import type { Orders } from '../parts/heads.tsx';
import { agoOf, Time } from '../parts/time.tsx';
import { may } from '../rpc/permissions.ts';
import { apiKeys } from '../rpc/rpc-keys.ts';
import { pauseOf } from '../settings/units.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { KeyForm, keyDraft, keyEditOf } from './form.tsx';
import { Rotate } from './rotate.tsx';
import type { MadeKey } from './shown.tsx';

const TONES: Readonly<Record<string, Tone>> = { active: 'good', expired: 'warn', revoked: 'off' };

const usedAt = ({ lastUsedAt }: ApiKey) => Number(lastUsedAt?.seconds ?? 0);

/** How keys are put in order. What was never used was not used for longest, and what never expires is the last to. */
export const KEY_ORDERS: Orders<ApiKey> = {
  name: { goes: 'ascending', by: ({ label }) => label },
  used: { goes: 'descending', by: usedAt },
  unused: { goes: 'ascending', by: usedAt },
  ends: {
    goes: 'ascending',
    by: ({ revokedAt, expiresAt }) => Number((revokedAt ?? expiresAt)?.seconds ?? Number.POSITIVE_INFINITY),
  },
};

/** Shows one key: what it reaches, who used it last, and what can be done with it. */
export function KeyRow(props: {
  of: ApiKey;
  alarms: readonly Alarm[];
  onMade(made: MadeKey): void;
  onChanged(key: ApiKey): void;
}) {
  const say = wordsOf('keys');
  const key = props.of;
  const [mode, turn] = useState<'view' | 'edit' | 'rotate'>(() => (isUnsaved(keyDraft(key.id)) ? 'edit' : 'view'));
  const reach =
    key.alarmId === ''
      ? say.account
      : say.only(props.alarms.find(({ id }) => id === key.alarmId)?.name ?? say.goneAlarm);
  const by = say.from(key.lastUsedAddress, key.lastUsedAgent);
  const isOver = key.status === 'revoked';
  return (
    <tr class="key">
      <td>
        <div class="head">
          <b dir="auto">{key.label}</b>
          <Chip tone={TONES[key.status] ?? 'off'}>{say.status[key.status] ?? key.status}</Chip>
          {isSilent(key) && <Chip tone="warn">{say.silent}</Chip>}
        </div>
        <p dir="auto">
          {reach} <span class="soft small">· {key.secrets.map(({ last4 }) => say.ending(last4)).join(', ')}</span>
        </p>
        {key.lookUrl !== '' && (
          <p class="small" dir="auto">
            {say.look}
            <a href={key.lookUrl} target="_blank" rel="noopener noreferrer">
              {key.lookUrl}
            </a>
          </p>
        )}
        <a class="small" href={addressOf(`incidents?key=${key.id}`)} data-screen>
          {wordsOf('lists').itTriggered}
          <span class="unseen"> {key.label}</span>
        </a>
      </td>
      <td>
        <p class="soft small figures" dir="auto">
          {key.lastUsedAt === undefined ? (
            say.neverUsed
          ) : (
            <>
              {say.used}
              <Time at={key.lastUsedAt} /> {by}
            </>
          )}
        </p>
        <Life of={key} />
      </td>
      <td>
        <Ends of={key} />
      </td>
      {may('manage') && !isOver && (
        <td class="do">
          {mode === 'view' && (
            <>
              <button type="button" class="button quiet" onClick={() => turn('edit')}>
                {words().edit}
              </button>
              <button type="button" class="button quiet" onClick={() => turn('rotate')}>
                {say.rotate.do}
              </button>
            </>
          )}
          <Delete
            label={say.revoke.do}
            title={say.revoke.title(key.label)}
            text={key.lastUsedAt === undefined ? say.revoke.unused(reach) : say.revoke.used(reach, by)}
            act={async () => props.onChanged((await apiKeys.revokeApiKey({ apiKeyId: key.id })).apiKey!)}
            onDone={() => turn('view')}
          />
        </td>
      )}
      {mode === 'edit' && !isOver && may('manage') && (
        <td class="panel wide">
          <KeyForm
            of={keyEditOf(key)}
            alarms={props.alarms}
            onDone={made => {
              if (made !== null) props.onChanged(made.key);
              turn('view');
            }}
          />
        </td>
      )}
      {mode === 'rotate' && !isOver && (
        <td class="whole">
          <Rotate
            of={key}
            onDone={made => {
              if (made !== null) props.onMade(made);
              turn('view');
            }}
          />
        </td>
      )}
    </tr>
  );
}

function isSilent({ status, silentSince }: ApiKey): boolean {
  return status === 'active' && silentSince !== undefined;
}

/** Says whether a supervised key is heard, or which supervision would fit one that is not supervised. */
function Life({ of }: { of: ApiKey }) {
  const say = wordsOf('keys');
  const { status, supervisionS, onSilence, proposedSupervisionS: proposedS, aliveAt, silentSince } = of;
  if (status !== 'active') return null;
  if (supervisionS === 0) return proposedS === 0 ? null : <p class="soft small">{say.propose(pauseOf(proposedS))}</p>;
  const alerts = onSilence === 'alert' ? ` · ${say.form.onSilences.alert}` : '';
  const by = `${say.supervised(pauseOf(supervisionS))}${alerts}`;
  if (silentSince !== undefined) {
    return (
      <p class="small">
        {say.silentSince}
        <Time at={silentSince} /> · {by}
      </p>
    );
  }
  return (
    <p class="soft small">
      {aliveAt === undefined ? say.notHeard : say.alive(agoOf(timestampDate(aliveAt), new Date()))} · {by}
    </p>
  );
}

/** Says when a key ends or ended, and until when its former secret still works. */
function Ends({ of: { expiresAt, revokedAt, secrets } }: { of: ApiKey }) {
  const say = wordsOf('keys');
  const ending = secrets.filter(({ endsAt }) => endsAt !== undefined);
  return (
    <>
      {revokedAt !== undefined && (
        <p class="soft small">
          {say.revokedAt}
          <Time at={revokedAt} />
        </p>
      )}
      {revokedAt === undefined && expiresAt !== undefined && (
        <p class="soft small">
          {say.expires}
          <Time at={expiresAt} />
        </p>
      )}
      {secrets.length > 1 &&
        ending.map(({ last4, endsAt }) => (
          <p key={last4} class="soft small">
            {say.ending(last4)}: {say.until}
            <Time at={endsAt} />
          </p>
        ))}
    </>
  );
}
