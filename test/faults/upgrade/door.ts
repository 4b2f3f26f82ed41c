import type { DescMethod } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { CONSOLE_SERVICES } from '../../../facade/console/door.ts';

/** An answer of the console's door, as its page reads it. */
export interface Told {
  status: number;
  body: Record<string, unknown>;
}

/** The console of an account at a facade, as a browser of the operator's speaks to it. */
export interface ConsoleAt {
  ask(method: string, request?: object): Promise<Told>;
}

/** Signs the operator in at the door of the first of some facades; the session opens the doors of all. */
export async function signIn(urls: readonly string[], token: string, accountId: string): Promise<ConsoleAt[]> {
  const signedIn = await call(urls[0]!, 'console.v1.SessionService/SignIn', { consoleToken: { token } }, {});
  if (signedIn.status !== 200) throw new Error(`Signing in was answered ${signedIn.status}: ${await signedIn.text()}`);
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  return urls.map(url => ({
    async ask(method, request = {}) {
      const response = await call(url, method, request, { cookie, 'x-tocsin-account': accountId });
      return { status: response.status, body: (await response.json()) as Told['body'] };
    },
  }));
}

function call(url: string, method: string, request: object, more: Record<string, string>): Promise<Response> {
  const own = { 'content-type': 'application/json', 'connect-protocol-version': '1', 'sec-fetch-site': 'same-origin' };
  return fetch(`${url}/rpc/tocsin.${method}`, {
    method: 'POST',
    headers: { ...own, origin: url, ...more },
    body: JSON.stringify(request),
  });
}

/** A method that only reads, by the name that `ask` takes, with the names of its fields. */
export interface Read {
  method: string;
  fields: string[];
}

/** All that the console reads. */
export function readsOfTheConsole(): Read[] {
  const isRead = ({ methodKind, idempotency }: DescMethod) =>
    methodKind === 'unary' && idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return CONSOLE_SERVICES.flatMap(({ typeName, methods }) =>
    methods.filter(isRead).map(({ name, input }) => ({
      method: `${typeName.replace('tocsin.', '')}/${name}`,
      fields: input.fields.map(({ jsonName }) => jsonName),
    })),
  );
}
