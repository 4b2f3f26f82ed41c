import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import { ConfirmAct } from '../forms/confirm-act.tsx';
import { useDoing } from '../forms/edit.tsx';
import { Back } from '../parts/back.tsx';
import { saidOfTest } from '../parts/said-of-test.ts';
import { canBeReached } from '../people/reach.ts';
import { Press } from '../press/press.tsx';
import { may } from '../rpc/permissions.ts';
import { READ } from '../rpc/rpc.ts';
import { contacts } from '../rpc/rpc-people.ts';
import { policies } from '../rpc/rpc-policies.ts';
import { addressOf } from '../way/router.ts';
import { language, words, wordsOf } from '../words.ts';
import { Rehearse } from './rehearse.tsx';
import { Chips, type Known } from './rows.tsx';
import { isAlarm, type Source, setTest } from './source.ts';
import { ChooseTestFor, TEST_FOR, TEST_FOR_S, type TestFor } from './test-for.tsx';

/** Shows what a source is, its state, and the buttons that rehearse it and switch it between test and live. `children`: further ones. */
export function SourceHead(on: { of: Source; place: Location | undefined; known: Known; children: ComponentChildren }) {
  const { of, place, known } = on;
  const say = wordsOf('alarms');
  const isTest = of.test === true || place?.test === true;
  return (
    <>
      <Back to="alarms">{say.title}</Back>
      <article class={`card incident ${isTest ? 'test' : ''}`}>
        <div>
          <Chips of={of} place={place} known={known} />
          <h1 class="name" dir="auto">
            {of.name}
          </h1>
          <p class="soft">
            {!isAlarm(of) && <>{words().states.panic} · </>}
            <bdi>{place?.name}</bdi> · <code>{of.key}</code>
          </p>
          {of.test === true && <p class="soft">{saidOfTest(of.testUntil)}</p>}
          {place?.test === true && (
            <p class="soft">
              {say.placeIsInTest} {saidOfTest(place.testUntil)}{' '}
              <a
                id={of.test === true ? undefined : 'test'}
                href={addressOf(`alarms?place=${place.id}#place-test`)}
                data-screen
              >
                {say.editPlace}
              </a>
            </p>
          )}
        </div>
        <div class="do">
          {!isAlarm(of) && <Press of={of} place={place} />}
          {isTest && may('act') && <Rehearse of={of} />}
          {may('configure') && <TestSwitch of={of} {...(of.test === true && { id: 'test' })} />}
          {on.children}
        </div>
      </article>
    </>
  );
}

/** Switches a source between live and test. Asks first, and names who will be told. */
export function TestSwitch({ of, id }: { of: Source; id?: string }) {
  const say = wordsOf('alarms');
  const [told, ask] = useState<Told | 'unknown' | null>(null);
  const [lasts, last] = useState<TestFor>(TEST_FOR);
  const doing = useDoing();
  const to = of.test === true ? 'live' : 'test';
  return (
    <>
      <button
        type="button"
        id={id}
        class={to === 'live' ? 'button' : 'button quiet'}
        onClick={() => void toldBy(of).then(ask, () => ask('unknown'))}
      >
        {to === 'live' ? say.goLive : say.toTest}
      </button>
      {told !== null && (
        <ConfirmAct
          doing={doing}
          title={to === 'live' ? say.confirmLiveOne(of.name) : say.confirmTestOne(of.name)}
          text={to === 'test' ? say.testText(of.name) : liveTextOf(told)}
          yes={to === 'live' ? say.goLive : say.toTest}
          tone={to === 'live' ? 'live' : 'plain'}
          act={() => setTest(of, to === 'test' ? TEST_FOR_S[lasts] : 'live')}
          onEnd={() => ask(null)}
        >
          {to === 'test' && <ChooseTestFor value={lasts} onChoose={last} />}
        </ConfirmAct>
      )}
    </>
  );
}

/** Names of the contacts in a source's policies, by whether a live alert reaches them. */
interface Told {
  reached: readonly string[];
  unreached: readonly string[];
}

function liveTextOf(told: Told | 'unknown'): string {
  const say = wordsOf('alarms');
  if (told === 'unknown') return say.liveTellsUnknown;
  const list = (names: readonly string[]) => new Intl.ListFormat(language.value).format(names);
  const { reached, unreached } = told;
  return [
    reached.length === 0 ? say.liveTellsNobody : say.liveTells(list(reached)),
    unreached.length === 0 ? '' : say.liveMisses(list(unreached)),
  ]
    .filter(sentence => sentence !== '')
    .join(' ');
}

/**
 * Returns whom the policies of all modes name. A preview would not do: it says what a trigger does now, such as joining an
 * open incident.
 */
async function toldBy(of: Source): Promise<Told> {
  const policyIds = isAlarm(of) ? of.modes.map(({ policyId }) => policyId) : [of.policyId];
  const bound = [...new Set(policyIds)].filter(id => id !== '');
  const found = await Promise.all(bound.map(policyId => policies.getPolicy({ policyId }, READ)));
  const told = found.flatMap(({ policy }) => policy!.steps.flatMap(({ contacts }) => contacts));
  const contactIds = [...new Set(told.map(({ contactId }) => contactId))];
  const people = await Promise.all(
    contactIds.map(async contactId => (await contacts.getContact({ contactId }, READ)).contact!),
  );
  // A way that the policy does not name goes in the place of one that would not reach them.
  const [reached = [], unreached = []] = [true, false].map(is =>
    people.filter(person => canBeReached(person) === is).map(({ name }) => name),
  );
  return { reached, unreached };
}
