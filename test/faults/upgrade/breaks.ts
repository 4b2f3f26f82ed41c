import type { Break } from '../../support/neighbour.ts';

/** A break, and what is said where it is found. */
interface Planted extends Break {
  name: string;
  found: RegExp;
}

const SOURCES = 'services/store/statements/apply.ts';
const WRITES = 'services/store/statements/write.ts';
const BATCH = 'proto/tocsin/internal/v1/batch.proto';
const CARRIED = 'services/rpc/batch.ts';
const CARRIES = 'facade/rpc/carrier.ts';

/** Next versions that get on well by themselves, and with which this one cannot live. */
export const BREAKS: Readonly<Record<'ofTheSchema' | 'ofTheWire', readonly Planted[]>> = {
  ofTheSchema: [
    {
      name: 'a column that this version reads is called otherwise',
      sql: ['ALTER TABLE source RENAME COLUMN clear_on_disarm TO clears'],
      changes: [
        { file: SOURCES, was: 's.clear_on_disarm AS', is: 's.clears AS' },
        {
          file: 'services/store/entities/source.ts',
          was: 'clearOnDisarm: p.boolean()',
          is: "clearOnDisarm: p.boolean().fieldName('clears')",
        },
      ],
      found: /nothing to be left undone/,
    },
    {
      name: 'a column that this version does not fill has to be filled',
      sql: [
        "ALTER TABLE incident ADD COLUMN mood text NOT NULL DEFAULT 'calm'",
        'ALTER TABLE incident ALTER COLUMN mood DROP DEFAULT',
      ],
      changes: [
        { file: WRITES, was: ', applied_at)\nSELECT', is: ', applied_at, mood)\nSELECT' },
        { file: WRITES, was: ', tocsin_now() FROM', is: ", tocsin_now(), 'calm' FROM" },
      ],
      found: /nothing to be left undone/,
    },
  ],
  ofTheWire: [
    {
      name: 'answers that the facade of this version cannot read',
      changes: [
        { file: BATCH, was: 'uint32 took_ms = 15;', is: 'uint32 took_ms = 15;\n  repeated bytes packed = 16;' },
        {
          file: CARRIED,
          was: 'response: answered.map(({ response }) => response),',
          is: 'packed: answered.map(({ response }) => response),',
        },
        {
          file: CARRIES,
          was: 'function settle(open: Map<number, Waiting>, { answered, response, headers, errors }',
          is: 'function settle(open: Map<number, Waiting>, { answered, packed: response, headers, errors }',
        },
      ],
      found: /An answer came without a message/,
    },
    {
      name: 'requests that services of this version cannot read',
      changes: [
        { file: BATCH, was: 'string part = 15;', is: 'string part = 15;\n  repeated bytes packed = 16;' },
        {
          file: CARRIES,
          was: 'request: calls.map(({ request }) => request),',
          is: 'packed: calls.map(({ request }) => request), request: calls.map(() => new Uint8Array()),',
        },
        { file: CARRIED, was: 'metadata }: CarryRequest', is: 'metadata, packed }: CarryRequest' },
        { file: CARRIED, was: 'request: request[at]!,', is: 'request: (packed[at] ?? request[at])!,' },
      ],
      found: /action: 'arm', status: 404/,
    },
  ],
};
