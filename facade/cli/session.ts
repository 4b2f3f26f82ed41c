import { type DescMessage, type JsonValue, type MessageShape, toJson } from '@bufbuild/protobuf';
import type { Command } from 'commander';
import type { ConnectionFlags } from './config.ts';
import type { ExitCode } from './exit.ts';
import { type Colour, type Io, painter } from './io.ts';
import type { Page } from './pages.ts';
import type { Rpc } from './rpc.ts';
import { type Columns, table } from './table.ts';
import { safeJson } from './text.ts';

/** One run of one command: what it may call and how it reports the result. */
export interface Session {
  rpc: Rpc;
  rpcUrl: string;
  /** The connection flags of the command line; the environment provides the rest. */
  flags: ConnectionFlags;
  io: Io;
  /** `json`: one JSON value on stdout and nothing else there. */
  format: 'json' | 'text';
  /** Prints a result: the RPC's answer as proto JSON, or the lines for people. */
  answer<Schema extends DescMessage>(
    schema: Schema,
    message: MessageShape<Schema>,
    lines: () => readonly string[],
  ): void;
  /** Prints a result that is no message of the services. */
  value(value: JsonValue, lines: () => readonly string[]): void;
  /** Prints a list: `{items, nextPageToken}`, or a table; `empty` is the sentence for none. */
  list<Schema extends DescMessage>(
    schema: Schema,
    page: Page<MessageShape<Schema>>,
    columns: Columns<MessageShape<Schema>>,
    empty: string,
  ): void;
  /** Prints something beside the result, on stderr. */
  note(text: string): void;
  /** Colours text for stdout, if stdout takes colours. */
  paint(colour: Colour, text: string): string;
}

/** Wraps a command's work for commander. The exit code is `ok` unless the work returns another. */
export type Act = <Options, Args extends unknown[]>(
  work: (session: Session, options: Options, ...args: Args) => Promise<ExitCode | undefined>,
) => (this: Command, ...given: unknown[]) => Promise<void>;

/** Returns proto JSON with every field, so that a script also finds what is empty or off. */
export function messageJson<Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): JsonValue {
  return toJson(schema, message, { alwaysEmitImplicit: true });
}

/** Creates a session on `io` that calls `rpc`. */
export function openSession(options: Pick<Session, 'rpc' | 'rpcUrl' | 'flags' | 'io' | 'format'>): Session {
  const { io, format } = options;
  const print = (lines: readonly string[]) => lines.forEach(line => void io.stdout.write(`${line}\n`));
  const value: Session['value'] = (result, lines) =>
    print(format === 'json' ? [safeJson(result, io.stdout.isTerminal ? 2 : undefined)] : lines());
  return {
    ...options,
    value,
    answer: (schema, message, lines) => value(format === 'json' ? messageJson(schema, message) : null, lines),
    list: (schema, { items, nextPageToken }, columns, empty) => {
      const json = () => ({ items: items.map(item => messageJson(schema, item)), nextPageToken });
      value(format === 'json' ? json() : null, () => (items.length === 0 ? [empty] : table(columns, items)));
      if (nextPageToken !== '' && format === 'text') {
        io.stderr.write(`There are more: pass --page-token ${nextPageToken}, or leave out --limit.\n`);
      }
    },
    note: text => io.stderr.write(`${text}\n`),
    paint: painter(io, io.stdout),
  };
}
