import type { PoolClient } from 'pg';
import type { Actor } from '../../domain/actor.ts';

/** What is wrong in a configuration file, where. Line 0: the file as a whole. */
export interface FileProblem {
  line: number;
  column: number;
  field: string;
  problem: string;
  didYouMean: string;
}

/** An API key that was made, with the secret that is shown once. */
export interface NewKey {
  key: string;
  label: string;
  secret: string;
}

/** What came of a file. With problems: nothing was written. */
export interface FileApplied {
  problems: readonly FileProblem[];
  changes: readonly { kind: string; key: string; id: string }[];
  newSecrets: readonly NewKey[];
  /** Tells others, once it is committed. */
  announce(): void;
}

/** A file that was read. */
export interface FileToApply {
  /** References to secrets, such as `env:NAME`, that were not handed in. */
  missingSecrets: readonly string[];
  /** Makes an account what the file says, in a transaction of the caller's, under the account's lock. */
  applyTo(client: PoolClient, accountId: string, actor: Actor): Promise<FileApplied>;
}

/** Reads a configuration file as the console does (console/file); the wiring hands it in. */
export type ReadFile = (text: string, secrets: Readonly<Record<string, string>>) => Promise<FileToApply>;
