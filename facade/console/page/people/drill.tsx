import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Contact, ContactChannel } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { DrillResponse } from '../../../../gen/tocsin/console/v1/drills_pb.ts';
import { Refused, useDoing } from '../forms/edit.tsx';
import { may } from '../rpc/permissions.ts';
import { drills } from '../rpc/rpc-people.ts';
import { language, wordsOf } from '../words.ts';

/** Sends a contact a test message to one address, called `name`, and says what came of it. `children`: buttons beside its own. */
export function Drill(props: { of: ContactChannel; name: string; person: Contact; children: ComponentChildren }) {
  const { of, person } = props;
  const say = wordsOf('people').drill;
  const doing = useDoing();
  const [answer, keep] = useState<DrillResponse | null>(null);

  function send() {
    keep(null);
    void doing.run(async () =>
      keep(await drills.drill({ contactId: person.id, channel: of.channel, address: of.address })),
    );
  }

  return (
    <>
      <div class="do">
        {props.children}
        {may('act') && (
          <button
            type="button"
            class="button quiet"
            disabled={doing.is === 'working'}
            aria-label={say.label(props.name, person.name)}
            onClick={send}
          >
            {say.do}
          </button>
        )}
      </div>
      <div class="answer" role="status">
        {doing.is === 'working' && <p class="soft">{say.working}</p>}
        {answer !== null && <Answer of={answer} way={of} />}
        <Refused on={doing} />
      </div>
    </>
  );
}

function Answer({
  of: { outcome, detail, keptMessage, fix, tookMs },
  way,
}: {
  of: DrillResponse;
  way: ContactChannel;
}) {
  const say = wordsOf('people').drill;
  const wentOut = outcome === 'sent' || outcome === 'delivered';
  const isInPlan = detail !== 'plan_required';
  return (
    <>
      <p class={wentOut ? '' : 'notice'}>
        {isInPlan ? (say.outcomes[outcome]?.(seconds(tookMs)) ?? outcome) : say.planRequired}
      </p>
      {wentOut && way.reach === 'disabled' && <p class="soft small">{say.disabled}</p>}
      {wentOut && way.reach === 'not_verified' && <p class="soft small">{say.notVerified}</p>}
      {!wentOut && isInPlan && detail !== '' && (
        <p class="soft small" dir="auto">
          {say.answer(detail)}
        </p>
      )}
      {!wentOut && fix !== '' && (
        <p class="soft small" dir="auto">
          {fix}
        </p>
      )}
      {keptMessage !== '' && (
        <details class="small">
          <summary>{say.would}</summary>
          <p class="soft" dir="auto">
            {keptMessage}
          </p>
        </details>
      )}
    </>
  );
}

function seconds(ms: number): string {
  const format = { style: 'unit', unit: 'second', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language.value, format).format(ms / 1_000);
}
