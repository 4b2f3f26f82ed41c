import type { PoolClient } from 'pg';
import type { Pepper } from '../../store/secret.ts';
import type { AccountDoc } from '../account-view.ts';
import type { Edit } from '../change.ts';
import type { ReadOn } from '../read.ts';
import type { ResourceKind, Stored } from '../resource.ts';
import type { ApiKeyDoc } from '../resources/api-key.ts';
import type { Difference } from './differences.ts';
import type { Problem } from './problem.ts';
import type { ChosenSecret } from './things.ts';

/** The account a file is compared with. */
export interface Within extends ReadOn {
  client: PoolClient;
  /** Under it the secrets of API keys are digested. */
  pepper: Pepper;
}

/** Whether what the file does not name is deleted or stays. */
export type Prune = 'prune' | 'keep';

/** One thing that is or would be different. */
export interface PlannedChange {
  action: 'create' | 'update' | 'delete';
  kind: ResourceKind | 'account';
  key: string;
  id: string;
  name: string;
  fields: Difference[];
}

/** A secret that an API key of the file gets. */
export interface KeySecret {
  keyId: string;
  key: string;
  label: string;
  /** `another`: it loses the one that it has. */
  change: 'minted' | 'first' | 'another';
  /** Null if a random one is created and shown once. */
  chosen: ChosenSecret | null;
}

/** The changes that make an account match a file. */
export interface Diff {
  /** If not empty, nothing is done. */
  problems: Problem[];
  /** What to show of it, in the order of the file, deletions last. */
  changes: PlannedChange[];
  account: { before: AccountDoc; after: AccountDoc } | null;
  /** Revoked API keys that give up their key to one of this file. */
  freed: { id: string; before: ApiKeyDoc; after: ApiKeyDoc }[];
  edits: Edit[];
  secrets: KeySecret[];
  revoked: Stored<ApiKeyDoc>[];
}

export function noDiff(problems: Problem[]): Diff {
  return { problems, changes: [], account: null, freed: [], edits: [], secrets: [], revoked: [] };
}
