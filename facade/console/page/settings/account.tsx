import { useEffect, useState } from 'preact/hooks';
import type { Account } from '../../../../gen/tocsin/console/v1/accounts_pb.ts';
import { Choice, Field } from '../../design/parts.tsx';
import { useDraft } from '../forms/draft.ts';
import { FormEnd, Met, Refused, useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { Waiting } from '../parts/waiting.tsx';
import { isOperator, may } from '../rpc/permissions.ts';
import { accounts, READ } from '../rpc/rpc.ts';
import { accountIs } from '../rpc/session.ts';
import { LANGUAGES, wordsOf } from '../words.ts';
import { centsOf, dollarsOf, money, pauseOf } from './units.ts';

/** Edits the account itself: its name, where its owner is told things, and what may be spent. */
export function AccountPart() {
  const found = useQuery('account', async () => (await accounts.getAccount({}, READ)).account!);
  const [saved, setSaved] = useState<Account | null>(null);
  const stored = found.data !== null && saved !== null && saved.version > found.data.version ? saved : found.data;
  useEffect(() => {
    if (stored !== null) accountIs(stored);
  }, [stored]);
  if (stored === null) return <Waiting on={found} />;
  return may('manage') ? (
    <AccountForm key={stored.id} stored={stored} onSaved={setSaved} />
  ) : (
    <AccountFacts of={stored} />
  );
}

/** The fields of an account as text, for the form. */
function fieldsOf(account: Account) {
  const { version, name, plan, ownerEmail, ownerTimeZone, ownerLocale, stillHappeningS, drills } = account;
  return {
    version,
    name,
    plan,
    ownerEmail,
    ownerTimeZone,
    ownerLocale,
    stillHappeningS: String(stillHappeningS),
    drills,
    dailySpendCapCents: dollarsOf(account.dailySpendCapCents ?? 0),
    dailySpendCeilingCents: dollarsOf(account.dailySpendCeilingCents ?? 0),
  };
}

type Fields = Omit<ReturnType<typeof fieldsOf>, 'version'>;

/** The names of the fields, as a mask of the service names them. */
const MASK: Record<keyof Fields, string> = {
  name: 'name',
  plan: 'plan',
  ownerEmail: 'owner_email',
  ownerTimeZone: 'owner_time_zone',
  ownerLocale: 'owner_locale',
  stillHappeningS: 'still_happening_s',
  drills: 'drills',
  dailySpendCapCents: 'daily_spend_cap_cents',
  dailySpendCeilingCents: 'daily_spend_ceiling_cents',
};

/** Pauses that are offered, in seconds. */
const PAUSES = ['0', '60', '120', '300', '600', '900', '1800', '3600', '21600', '86400'];

/** The most that the service accepts. */
const MOST_CENTS = { cap: 1_000_000, ceiling: 10_000_000 } as const;

function AccountForm({ stored, onSaved }: { stored: Account; onSaved(account: Account): void }) {
  const say = wordsOf('settings').account;
  const draft = useDraft(fieldsOf(stored), 'account');
  const doing = useDoing();
  const { value, set } = draft;
  const cap = centsOf(value.dailySpendCapCents, MOST_CENTS.cap);
  const ceiling = centsOf(value.dailySpendCeilingCents, MOST_CENTS.ceiling);
  const isAmount = (cents: number | null, most: number) => (cents === null ? say.amount(money(most)) : null);

  async function save(event: Event) {
    event.preventDefault();
    if (cap === null || ceiling === null) return;
    const given = {
      ...value,
      stillHappeningS: Number(value.stillHappeningS),
      dailySpendCapCents: cap,
      dailySpendCeilingCents: ceiling,
    };
    await doing.run(async () => {
      const paths = draft.changed.map(field => MASK[field as keyof Fields]);
      const { account } = await accounts.updateAccount({ account: given, updateMask: { paths } });
      draft.end(fieldsOf(account!));
      onSaved(account!);
    });
  }

  return (
    <form class="card form" onSubmit={save}>
      <div class="pair">
        <Field
          label={say.fields.name}
          name="name"
          required
          value={value.name}
          onInput={name => set({ name })}
          wrong={doing.wrong('name')}
        />
        <Field
          label={say.fields.ownerEmail}
          name="ownerEmail"
          value={value.ownerEmail}
          onInput={ownerEmail => set({ ownerEmail })}
          wrong={doing.wrong('ownerEmail')}
          hint={say.ownerEmail}
        />
        <Choice
          label={say.fields.ownerTimeZone}
          value={value.ownerTimeZone}
          options={including(zonesThereAre(), value.ownerTimeZone).map(zone => [zone, zone.replaceAll('_', ' ')])}
          onChoose={ownerTimeZone => set({ ownerTimeZone })}
          hint={say.ownerTimeZone}
        />
        <Choice
          label={say.fields.ownerLocale}
          value={value.ownerLocale}
          options={including(Object.keys(LANGUAGES), value.ownerLocale).map(tag => [
            tag,
            LANGUAGES[tag as keyof typeof LANGUAGES] ?? tag,
          ])}
          onChoose={ownerLocale => set({ ownerLocale })}
          hint={say.ownerLocale}
        />
        <Choice
          label={say.fields.stillHappeningS}
          value={value.stillHappeningS}
          options={including(PAUSES, value.stillHappeningS).map(seconds => [
            seconds,
            seconds === '0' ? say.never : say.every(pauseOf(Number(seconds))),
          ])}
          onChoose={stillHappeningS => set({ stillHappeningS })}
        />
        <Choice
          label={say.fields.drills}
          value={value.drills}
          options={Object.entries(say.drills)}
          onChoose={drills => set({ drills })}
          hint={say.drillsHint}
        />
        <Field
          label={say.fields.dailySpendCapCents}
          name="cap"
          value={value.dailySpendCapCents}
          onInput={dailySpendCapCents => set({ dailySpendCapCents })}
          wrong={isAmount(cap, MOST_CENTS.cap) ?? doing.wrong('dailySpendCapCents')}
          hint={isOperator() ? say.cap : `${say.cap} ${say.capRaise}`}
        />
        {isOperator() && (
          <>
            <Choice
              label={say.fields.plan}
              value={value.plan}
              options={including(['free', 'paid'], value.plan).map(plan => [plan, say.plans[plan] ?? plan])}
              onChoose={plan => set({ plan })}
            />
            <Field
              label={say.fields.dailySpendCeilingCents}
              name="ceiling"
              value={value.dailySpendCeilingCents}
              onInput={dailySpendCeilingCents => set({ dailySpendCeilingCents })}
              wrong={isAmount(ceiling, MOST_CENTS.ceiling) ?? doing.wrong('dailySpendCeilingCents')}
              hint={say.ceiling}
            />
          </>
        )}
      </div>
      <Met of={draft} doing={doing} thing="account" />
      <Refused on={doing} shown={Object.keys(MASK)} />
      <FormEnd on={doing} />
    </form>
  );
}

function zonesThereAre(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter(zone => zone !== 'UTC')];
}

function including(all: readonly string[], one: string): readonly string[] {
  return one === '' || all.includes(one) ? all : [one, ...all];
}

/** Shows the same to those who may not change it. */
function AccountFacts({ of }: { of: Account }) {
  const say = wordsOf('settings').account;
  const facts: [keyof Fields, string][] = [
    ['name', of.name],
    ['ownerEmail', of.ownerEmail],
    ['ownerTimeZone', of.ownerTimeZone],
    ['stillHappeningS', of.stillHappeningS === 0 ? say.never : say.every(pauseOf(of.stillHappeningS))],
    ['drills', say.drills[of.drills] ?? of.drills],
    ['dailySpendCapCents', money(of.dailySpendCapCents ?? 0)],
  ];
  return (
    <>
      <p class="soft">{say.readOnly}</p>
      <dl class="card facts">
        {facts.map(([field, value]) => (
          <div key={field}>
            <dt>{say.fields[field]}</dt>
            <dd dir="auto">{value === '' ? '–' : value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
