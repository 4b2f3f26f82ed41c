import type { PoolClient } from 'pg';
import type { Actor } from '../../domain/actor.ts';

/** What is wrong in a configuration file, and where. Line 0: the file as a whole. */
export interface FileProblem {
  line: number;
  column: number;
  field: string;
  problem: string;
  didYouMean: string;
}

/** A new API key with its secret, which is shown once. */
export interface NewKey {
  key: string;
  label: string;
  secret: string;
}

/** The result of applying a file. With problems, nothing was written. */
export interface FileApplied {
  problems: readonly FileProblem[];
  changes: readonly { kind: string; key: string; id: string }[];
  newSecrets: readonly NewKey[];
  /** Announces the changes; call it after the commit. */
  announce(): void;
}

/** A file that was read. */
export interface FileToApply {
  /** References to secrets, such as `env:NAME`, that were not handed in. */
  missingSecrets: readonly string[];
  /** Makes an account match the file, in a transaction of the caller, under the account's lock. */
  applyTo(client: PoolClient, accountId: string, actor: Actor): Promise<FileApplied>;
}

/** Reads a configuration file like the console does (configuration/file); passed in by the wiring. */
export type ReadFile = (text: string, secrets: Readonly<Record<string, string>>) => Promise<FileToApply>;
