/** A mail server as people type it. */
export interface MailServer {
  host: string;
  port: string;
  user: string;
}

/** What a form keeps of the URL of a mail server that it does not show. */
interface Unseen {
  scheme: string;
  /** Options, with their question mark. */
  options: string;
}

/** What a port means, where nothing else is known: the connection is encrypted from its first byte. */
const TLS_PORT = '465';
const USUAL_PORT = '587';

/** Reads the URL of a mail server as it is shown, without a password. Empty: there is none yet. */
export function mailServerOf(url: string): MailServer & Unseen {
  if (!URL.canParse(url)) return { host: '', port: USUAL_PORT, user: '', scheme: '', options: '' };
  const { protocol, hostname, port, username, search } = new URL(url);
  const scheme = protocol.slice(0, -1);
  return {
    host: hostname,
    port: port || (scheme === 'smtps' ? TLS_PORT : USUAL_PORT),
    user: decodeURIComponent(username),
    scheme,
    options: search,
  };
}

/** Returns the URL of a mail server; empty where no host is typed. */
export function mailUrlOf({ host, port, user }: MailServer, password: string, before: MailServer & Unseen): string {
  if (host.trim() === '') return '';
  const isSamePort = before.scheme !== '' && before.port === port;
  const scheme = isSamePort ? before.scheme : port === TLS_PORT ? 'smtps' : 'smtp';
  const login = user === '' ? '' : `${encodeURIComponent(user)}${password && `:${encodeURIComponent(password)}`}@`;
  return `${scheme}://${login}${host.trim()}${port === '' ? '' : `:${port}`}${before.options}`;
}
