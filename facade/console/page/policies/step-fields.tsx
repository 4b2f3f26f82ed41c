import type { ComponentChildren } from 'preact';
import { Choice } from '../../design/parts.tsx';
import { Reorder } from '../forms/reorder.tsx';
import { CHANNELS } from '../people/reach.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { type Nameable, namedBy, type StepEdit, type ToldEdit } from './plan.ts';
import { channelsOf } from './policies.ts';
import { SpanField } from './span-field.tsx';

/** Edits one step of a policy: when, and who over which channels. */
export function StepFields(props: {
  of: StepEdit;
  at: number;
  all: readonly StepEdit[];
  people: readonly Nameable[];
  wrong(field: string): string | null;
  onChange(changes: Partial<StepEdit>): void;
  onOrder(all: StepEdit[]): void;
}) {
  const say = wordsOf('policies').form;
  const { delayS, contacts } = props.of;
  const path = `steps[${props.at}]`;
  const left = props.people.filter(({ id }) => !contacts.some(told => namedBy(told) === id));
  const change = (nth: number, told: ToldEdit) =>
    props.onChange({ contacts: contacts.map((one, index) => (index === nth ? told : one)) });
  const add = (id: string) => {
    const person = props.people.find(one => one.id === id);
    if (person === undefined) return;
    const named = person.is === 'duty' ? { contactId: '', dutyId: id } : { contactId: id, dutyId: '' };
    props.onChange({ contacts: [...contacts, { ...named, channels: channelsOf(person) }] });
  };
  return (
    <li>
      <div class="head">
        <b>{say.step(props.at + 1)}</b>
        <div class="do">
          <Reorder all={props.all} at={props.at} name={say.step(props.at + 1)} group="steps" onMove={props.onOrder} />
          {props.all.length > 1 && (
            <button
              type="button"
              class="button bare"
              aria-label={`${words().remove}: ${say.step(props.at + 1)}`}
              onClick={() => props.onOrder(props.all.filter((_, index) => index !== props.at))}
            >
              {words().remove}
            </button>
          )}
        </div>
      </div>
      <SpanField
        label={props.at === 0 ? say.delayFirst : say.delay}
        name={`${path}.delayS`}
        seconds={delayS}
        wrong={props.wrong(`${path}.delayS`)}
        onChange={delayS => props.onChange({ delayS })}
      />
      <ol class="step-people">
        {contacts.map((told, nth) => (
          <Told
            key={namedBy(told)}
            of={told}
            person={props.people.find(({ id }) => id === namedBy(told))}
            wrong={
              props.wrong(`${path}.contacts[${nth}].channels`) ??
              props.wrong(`${path}.contacts[${nth}].contactId`) ??
              props.wrong(`${path}.contacts[${nth}].dutyId`)
            }
            mover={name => (
              <Reorder
                all={contacts}
                at={nth}
                name={name}
                group={`people-${props.at}`}
                onMove={contacts => props.onChange({ contacts })}
              />
            )}
            onChange={channels => change(nth, { ...told, channels })}
            onRemove={() => props.onChange({ contacts: contacts.filter((_, index) => index !== nth) })}
          />
        ))}
      </ol>
      {props.wrong(`${path}.contacts`) !== null && (
        <p class="wrong" role="alert">
          {props.wrong(`${path}.contacts`)}
        </p>
      )}
      {left.length === 0 ? (
        <a class="small" id={props.at === 0 ? 'somebody' : undefined} href={addressOf('people/new')} data-screen>
          {wordsOf('people').add}
        </a>
      ) : (
        <Choice
          label={say.addSomebody}
          name={contacts.length === 0 ? 'nobody' : 'somebody'}
          value=""
          options={[['', say.choose], ...left.map(({ id, name }) => [id, name] as const)]}
          onChoose={add}
        />
      )}
    </li>
  );
}

/** Edits one contact of a step, and the channels over which the step tells them. */
function Told(props: {
  of: ToldEdit;
  person: Nameable | undefined;
  wrong: string | null;
  mover(name: string): ComponentChildren;
  onChange(channels: string[]): void;
  onRemove(): void;
}) {
  const say = wordsOf('policies').form;
  const name = props.person?.name ?? wordsOf('policies').somebodyGone;
  const has = (channel: string) => props.person?.channels.some(way => way.channel === channel) ?? false;
  const named = props.of.channels;
  const offered = CHANNELS.filter(channel => has(channel) || named.includes(channel));
  const toggle = (channel: string) =>
    props.onChange(named.includes(channel) ? named.filter(one => one !== channel) : [...named, channel]);
  return (
    <li>
      <div class="head">
        <b dir="auto">{name}</b>
        <div class="do">
          {props.mover(name)}
          <button type="button" class="button bare" aria-label={`${words().remove}: ${name}`} onClick={props.onRemove}>
            {words().remove}
          </button>
        </div>
      </div>
      <fieldset class="do">
        <legend class="unseen">{say.over(name)}</legend>
        {offered.map(channel => (
          <label key={channel} class="check">
            <input type="checkbox" checked={named.includes(channel)} onChange={() => toggle(channel)} />
            {has(channel)
              ? words().incident.channels[channel]
              : say.noAddress(words().incident.channels[channel] ?? channel)}
          </label>
        ))}
      </fieldset>
      {props.wrong !== null && (
        <p class="wrong" role="alert">
          {props.wrong}
        </p>
      )}
    </li>
  );
}
