import type { Carrier, CarrierSetting } from '../../../../gen/tocsin/console/v1/carriers_pb.ts';
import { type MailServer, mailServerOf, mailUrlOf } from './mail-url.ts';

/** The settings of a carrier as its form holds them: by name; of a mail server by its parts, `SMTP_URL.host`. Without secrets. */
export type CarrierEdit = Readonly<Record<string, string | number>> & { version: number };

/** What is typed in secret fields, by the name of the setting. It is kept nowhere else. Null: it is to be taken away. */
export type Secrets = Readonly<Record<string, string | null>>;

const PARTS = ['host', 'port', 'user'] as const;

export function editOf({ version, settings }: Carrier): CarrierEdit {
  const fields = settings.flatMap(({ name, holds, value }): [string, string][] => {
    if (holds === 'secret') return [];
    if (holds === 'text') return [[name, value]];
    const server = mailServerOf(value);
    return PARTS.map(part => [`${name}.${part}`, server[part]]);
  });
  return { ...Object.fromEntries(fields), version } as CarrierEdit;
}

/** Returns the mail server that a form holds. */
export function serverIn(edit: CarrierEdit, name: string): MailServer {
  const [host, port, user] = PARTS.map(part => String(edit[`${name}.${part}`] ?? ''));
  return { host: host!, port: port!, user: user! };
}

/** Returns the mail servers whose password has to be typed again: what it is for has changed. */
export function passwordsMissing(of: Carrier, edit: CarrierEdit, secrets: Secrets): string[] {
  return of.settings
    .filter(({ name, holds }) => holds === 'mail_server' && serverIn(edit, name).user !== '' && !secrets[name])
    .filter(setting => isOtherServer(setting, edit))
    .map(({ name }) => name);
}

function isOtherServer({ name, value, isSet }: CarrierSetting, edit: CarrierEdit): boolean {
  const [before, now] = [mailServerOf(value), serverIn(edit, name)];
  return !isSet || PARTS.some(part => before[part] !== now[part]);
}

/** Returns what is to be sent: the settings that change, by name. */
export function settingsOf(of: Carrier, edit: CarrierEdit, secrets: Secrets): Record<string, string> {
  const changed = of.settings.flatMap((setting): [string, string][] => {
    const { name, holds, value } = setting;
    const secret = secrets[name];
    if (holds === 'text') return edit[name] === value ? [] : [[name, String(edit[name] ?? '')]];
    if (holds === 'secret') return secret === '' || secret === undefined ? [] : [[name, secret ?? '']];
    const server = serverIn(edit, name);
    if (!secret && !isOtherServer(setting, edit)) return [];
    return server.host === '' && !setting.isSet ? [] : [[name, mailUrlOf(server, secret ?? '', mailServerOf(value))]];
  });
  return Object.fromEntries(changed);
}
