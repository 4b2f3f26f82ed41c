import { lookup, Resolver } from 'node:dns';

/** Finds the addresses of a host, one or more, or says why there is none. */
export type Resolve = (host: string, found: (error: Error | null, addresses: string[]) => void) => void;

/** How long a name server may take, in milliseconds, and how often it is asked. */
const PATIENCE = { timeout: 2_000, tries: 2 };

/**
 * Asks name servers and nothing else. The system's own look-up has four places in a whole process: names of owners whose
 * servers hang would take them from everybody, mail and carriers included. `servers`: `address:port`, the system's where absent.
 */
export function resolveOutside(servers?: readonly string[]): Resolve {
  const resolver = new Resolver(PATIENCE);
  if (servers !== undefined) resolver.setServers(servers);
  return (host, found) => {
    const addresses: string[] = [];
    let missing = 2;
    const onAnswer = (error: Error | null, some: readonly string[] | undefined) => {
      addresses.push(...(some ?? []));
      missing--;
      if (missing > 0) return;
      if (addresses.length > 0) found(null, addresses);
      else found(error ?? new Error(`${host} has no address`), []);
    };
    resolver.resolve4(host, onAnswer);
    resolver.resolve6(host, onAnswer);
  };
}

/** Asks as the system does, its list of hosts included: for a network whose names no name server outside knows. */
export const resolveInside: Resolve = (host, found) => {
  lookup(host, { all: true }, (error, addresses) => {
    found(error, error === null ? addresses.map(({ address }) => address.replace(/%.*$/, '')) : []);
  });
};
