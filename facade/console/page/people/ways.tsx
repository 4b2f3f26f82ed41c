import { useState } from 'preact/hooks';
import type { Contact, ContactChannel } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Empty } from '../../design/parts.tsx';
import { Time } from '../parts/time.tsx';
import { may } from '../rpc/permissions.ts';
import { words, wordsOf } from '../words.ts';
import { useAskAnswer } from './ask-answer.tsx';
import { Drill } from './drill.tsx';
import { nthOf } from './reach.ts';
import { Verify } from './verify.tsx';
import { WayChip } from './way-chip.tsx';

/** Shows a contact's channels in the order in which they are tried, each with its proof that it works. */
export function Ways({ of }: { of: Contact }) {
  const { noWays } = wordsOf('people');
  return (
    <div class="card">
      <ol class="rows">
        {of.channels.map((way, at) => (
          <Way key={`${way.channel} ${way.address}`} of={way} nth={nthOf(of.channels, at)} person={of} />
        ))}
      </ol>
      {of.channels.length === 0 && <Empty icon="people" {...noWays} />}
    </div>
  );
}

function Way(props: { of: ContactChannel; nth: string; person: Contact }) {
  const say = wordsOf('people');
  const asking = useAskAnswer(props);
  const [verifying, verify] = useState<'no' | 'yes' | 'done'>('no');
  const { channel, address, disabledReason, verifiedAt, lastDeliveredAt, provenAt, reach } = props.of;
  const name = (words().incident.channels[channel] ?? channel) + props.nth;
  const mayVerify = verifiedAt === undefined && channel !== 'webhook' && may('configure');
  return (
    <li class="way-row">
      <div>
        <div class="head">
          <b>{name}</b>
          <WayChip of={props.of} />
        </div>
        <p>
          <bdi>{address}</bdi>
        </p>
        <p class="soft small figures" dir="auto">
          {verifiedAt !== undefined && channel !== 'webhook' && (
            <>
              {say.verified} <Time at={verifiedAt} /> ·{' '}
            </>
          )}
          {lastDeliveredAt === undefined ? (
            say.neverDelivered
          ) : (
            <>
              {say.delivered} <Time at={lastDeliveredAt} />
            </>
          )}
          {channel !== 'webhook' && (
            <>
              {' · '}
              {provenAt === undefined ? (
                say.neverProven
              ) : (
                <>
                  {say.proven} <Time at={provenAt} />
                </>
              )}
            </>
          )}
        </p>
        {disabledReason !== '' && (
          <p class="soft small" dir="auto">
            {say.offBecause(disabledReason)}
          </p>
        )}
        {reach === 'no_carrier' && <p class="soft small">{say.noCarrier}</p>}
      </div>
      <Drill of={props.of} name={name} person={props.person}>
        {asking?.button}
        {mayVerify && verifying === 'no' && (
          <button type="button" id={`verify-${channel}${props.nth}`} class="button" onClick={() => verify('yes')}>
            {say.verify.do}
          </button>
        )}
      </Drill>
      {asking?.said}
      {mayVerify && verifying === 'yes' && (
        <Verify of={props.of} person={props.person} onDone={() => verify('done')} onCancel={() => verify('no')} />
      )}
      {verifying === 'done' && (
        <p class="soft small" role="status">
          {say.verify.done}
        </p>
      )}
    </li>
  );
}
