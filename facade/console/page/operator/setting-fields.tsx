import type { Carrier, CarrierSetting } from '../../../../gen/tocsin/console/v1/carriers_pb.ts';
import { Choice, Field } from '../../design/parts.tsx';
import { wordsOf } from '../words.ts';
import { type CarrierEdit, type Secrets, serverIn } from './carrier-edit.ts';

interface Fields {
  of: Carrier;
  value: CarrierEdit;
  secrets: Secrets;
  /** The mail servers whose password has to be typed again. */
  missing: readonly string[];
  wrong(field: string): string | null;
  onType(changes: Record<string, string>): void;
  onSecret(name: string, secret: string | null): void;
}

/** The fields of some settings of a carrier, made of what the services say of them. */
export function SettingFields({ settings, ...on }: Fields & { settings: readonly CarrierSetting[] }) {
  return (
    <div class="pair">
      {settings.map(setting => {
        const { name, holds, label, hint, asked } = setting;
        if (holds === 'mail_server') return <MailServerFields key={name} {...on} setting={setting} />;
        if (holds === 'secret') return <SecretField key={name} {...on} setting={setting} />;
        return (
          <Field
            key={name}
            label={label}
            name={name}
            required={asked === 'needed'}
            value={String(on.value[name] ?? '')}
            onInput={text => on.onType({ [name]: text })}
            hint={hint}
            wrong={on.wrong(name)}
          />
        );
      })}
    </div>
  );
}

/** A stored secret is never shown: an empty field keeps it. */
function SecretField({ setting, secrets, wrong, onSecret }: Fields & { setting: CarrierSetting }) {
  const say = wordsOf('operator').carriers;
  const { name, label, hint, asked, isSet } = setting;
  const secret = secrets[name];
  return (
    <div>
      <Field
        label={label}
        name={name}
        type="password"
        autocomplete="new-password"
        required={asked === 'needed' && !isSet}
        value={secret ?? ''}
        onInput={text => onSecret(name, text)}
        hint={isSet ? `${hint} ${say.leaveEmpty}` : hint}
        wrong={wrong(name)}
      />
      {isSet && asked !== 'needed' && (
        <label class="tick">
          <input
            type="checkbox"
            checked={secret === null}
            onChange={event => onSecret(name, event.currentTarget.checked ? null : '')}
          />
          <span>{say.takeAway(label)}</span>
        </label>
      )}
    </div>
  );
}

/** A mail server by its parts, and the servers of common providers to choose from. */
function MailServerFields({
  of,
  setting,
  value,
  secrets,
  missing,
  wrong,
  onType,
  onSecret,
}: Fields & { setting: CarrierSetting }) {
  const say = wordsOf('operator').carriers.mail;
  const { name, isSet } = setting;
  const { host, port, user } = serverIn(value, name);
  const preset = of.presets.find(one => one.host === host);
  const part = (word: string) => `${name}.${word}`;
  return (
    <>
      <Choice
        label={say.provider}
        name={part('provider')}
        value={preset?.name ?? ''}
        options={[['', say.other], ...of.presets.map(one => [one.name, one.name] as const)]}
        hint={preset?.note ?? say.otherHint}
        onChoose={chosen => {
          const found = of.presets.find(one => one.name === chosen);
          if (found !== undefined) onType({ [part('host')]: found.host, [part('port')]: String(found.port) });
        }}
      />
      <Field
        label={say.host}
        name={part('host')}
        required
        value={host}
        onInput={text => onType({ [part('host')]: text })}
        hint={say.hostHint}
        wrong={wrong(name)}
      />
      <Field
        label={say.port}
        name={part('port')}
        required
        numeric
        value={port}
        onInput={text => onType({ [part('port')]: text })}
        hint={say.portHint}
      />
      <Field
        label={say.user}
        name={part('user')}
        value={user}
        onInput={text => onType({ [part('user')]: text })}
        hint={say.userHint}
      />
      <Field
        label={say.password}
        name={part('password')}
        type="password"
        autocomplete="new-password"
        value={secrets[name] ?? ''}
        onInput={text => onSecret(name, text)}
        {...(isSet && { hint: say.passwordKept })}
        wrong={missing.includes(name) ? say.passwordAgain : null}
      />
    </>
  );
}
