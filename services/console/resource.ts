import type { EntityManager, EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { Vouched } from '../domain/verification.ts';
import type { Kind } from '../store/entities/audit.ts';
import type { Rows } from '../store/save-rows.ts';
import type { Seal } from '../store/seal.ts';
import type { FieldFault } from './errors.ts';

/** What every thing that an owner configures has. */
export interface Document {
  /** The owner's own stable name for it. */
  key: string;
}

/** A thing as it is stored: what its owner set (`doc`), and what only the product writes. */
export interface Stored<Doc extends Document = Document> {
  id: string;
  /** Order of creation. */
  seq: string;
  version: number;
  /** What its owner set, by proto JSON names; addresses readable. */
  doc: Doc;
  /** What the product says about it, by proto JSON names. */
  facts: Record<string, unknown>;
}

/** Another thing that a document names. `path` is where, `take` puts the id in the place of the key. */
export interface Reference {
  kind: ReferredKind;
  path: string;
  named: string;
  take(id: string): void;
}

export type ReferredKind = 'location' | 'contact' | 'policy' | 'alarm';

/** What the console keeps with one change path: created, changed and deleted by RPC and by file. */
export type ResourceKind = Exclude<Kind, 'account' | 'token' | 'member'>;

/** What the row of every thing has. */
export interface OwnedRow {
  accountId: string;
  id: string;
  seq: string;
  key: string;
  version: number;
}

/** Where things of one or more kinds are found: the entity, and which of its rows are living ones. */
export interface Living<Row extends OwnedRow = OwnedRow> {
  /** In sentences. */
  word: string;
  entity: EntityName<Row>;
  living: FilterQuery<Row>;
}

/** Reads what else is stored of the things that are being read: rows of `entity` by the thing that their `of` names. */
export type ReadParts = <Part extends object>(
  entity: EntityName<Part>,
  of: keyof Part & string,
  more?: { narrowed?: FilterQuery<Part>; orderBy?: QueryOrderMap<Part> | QueryOrderMap<Part>[] },
) => Promise<ReadonlyMap<string, readonly Part[]>>;

/** One resource: its field rules, where it is stored, what it names. */
export interface Resource<Doc extends Document = Document, Row extends OwnedRow = OwnedRow> extends Living<Row> {
  kind: ResourceKind;
  /** All that an owner may set, with the defaults of what is left out. RPC and file share it. */
  schema: z.ZodType<Doc>;
  /**
   * What of it is more than is allowed. Refused where it is new or changed; what was stored before there was the limit may
   * stay, or a file that says it once more would keep a deployment from starting. Absent: nothing can be.
   */
  excess?(doc: Doc): FieldFault[];
  /** From where keys are made when none is chosen. */
  nameOf(doc: Doc): string;
  /** The things that it names. They are asked for, and keys among them replaced by ids, before it is stored. */
  references(doc: Doc): Reference[];
  /** How a row becomes what its owner wrote, and what the product says about it. Reads what else is needed, once for all. */
  reader(parts: ReadParts, seal: Seal): Promise<(row: Row) => Pick<Stored<Doc>, 'doc' | 'facts'>>;
  /** As it is kept in the audit: seals what is sealed in its table too. Absent: nothing is. */
  sealed?(doc: Doc, seal: Seal): Doc;
  /** The rows of a new or changed thing, and those that go before. `vouched`: whether whoever writes it answers for its addresses. */
  rows(to: { accountId: string; id: string; doc: Doc; before: Doc | null; seal: Seal; vouched: Vouched; now: Date }): {
    removed?: Rows[];
    saved: Rows[];
  };
  /** Deletes things by id. */
  remove(em: EntityManager, accountId: string, ids: string[]): Promise<unknown>;
}
