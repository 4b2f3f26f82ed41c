import type { EntityManager, EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { Vouched } from '../domain/verification.ts';
import type { AuditKind } from '../store/entities/audit.ts';
import type { Rows } from '../store/save-rows.ts';
import type { Seal } from '../store/seal.ts';
import type { Thing } from '../words/owner/types.ts';
import type { FieldFault } from './errors.ts';

/** What every thing that an owner configures has. */
export interface Document {
  /** The owner's own stable name for it. */
  key: string;
}

/** A thing as stored: what its owner set (`doc`), and what only the product writes. */
export interface Stored<Doc extends Document = Document> {
  id: string;
  /** Order of creation. */
  seq: string;
  version: number;
  /** What its owner set, by proto JSON names; addresses in plain text. */
  doc: Doc;
  /** What the product knows about it, by proto JSON names. */
  facts: Record<string, unknown>;
}

/** A reference of a document to another thing. `path` is the field, `take` replaces the key by the id. */
export interface Reference {
  kind: ReferredKind;
  path: string;
  named: string;
  take(id: string): void;
}

export type ReferredKind = 'location' | 'contact' | 'duty' | 'policy' | 'alarm';

/** The kinds of things with a common change path: created, changed and deleted by RPC and by file. */
export type ResourceKind = Exclude<AuditKind, 'account' | 'token' | 'member'>;

/** What the row of every thing has. */
export interface OwnedRow {
  accountId: string;
  id: string;
  seq: string;
  key: string;
  version: number;
}

/** How existing things of one or more kinds are found: the entity, and a filter for rows that are not deleted. */
export interface Living<Row extends OwnedRow = OwnedRow> {
  /** By which sentences name it. */
  kind: Thing;
  entity: EntityName<Row>;
  living: FilterQuery<Row>;
}

/** Reads further rows for the things being read: rows of `entity` by the thing that their `of` names. */
export type ReadParts = <Part extends object>(
  entity: EntityName<Part>,
  of: keyof Part & string,
  more?: { narrowed?: FilterQuery<Part>; orderBy?: QueryOrderMap<Part> | QueryOrderMap<Part>[] },
) => Promise<ReadonlyMap<string, readonly Part[]>>;

/** By what a document is settled. */
export interface SettledOn {
  now: Date;
  from: 'request' | 'file';
  /** Whether a contact is still there after the change. */
  remains(contactId: string): boolean;
}

/** One resource: its field rules, where it is stored, what it refers to. */
export interface Resource<Doc extends Document = Document, Row extends OwnedRow = OwnedRow> extends Living<Row> {
  kind: ResourceKind;
  /** Everything an owner may set, with defaults. Shared by RPC and file. */
  schema: z.ZodType<Doc>;
  /**
   * Returns exceeded limits. Refused if new or changed; what was stored before a limit existed may stay, or a file that
   * repeats it would keep a deployment from starting. Absent: there are none.
   */
  excess?(doc: Doc): FieldFault[];
  /**
   * Puts into a document what its owner left to the product, and returns what is wrong with it beside what is stored. `from`
   * a file: it says how things are to be for good, whenever it is applied. Absent: there is nothing of the kind.
   */
  settle?(doc: Doc, before: Doc | null, on: SettledOn): FieldFault[];
  /** `of_doc`: what the product knows about it changes with what its owner wrote, as an address that has to be verified anew. */
  facts?: 'of_doc';
  /** The text from which a key is made if none is chosen. */
  nameOf(doc: Doc): string;
  /** The things it refers to. They are looked up, and keys replaced by ids, before it is stored. */
  references(doc: Doc): Reference[];
  /**
   * Returns the function that converts a row into what its owner wrote, and what the product knows about it. Reads
   * whatever else is needed once for all rows.
   */
  reader(parts: ReadParts, seal: Seal): Promise<(row: Row) => Pick<Stored<Doc>, 'doc' | 'facts'>>;
  /** Returns a document as the audit stores it, with the same fields sealed as in its table. Absent: none are. */
  sealed?(doc: Doc, seal: Seal): Doc;
  /**
   * Returns the rows of a new or changed thing, and those to be removed. `known`: the facts of what was stored before. `vouched`: whether the
   * author vouches for its addresses.
   */
  rows(to: {
    accountId: string;
    id: string;
    doc: Doc;
    before: Doc | null;
    known: Stored['facts'];
    seal: Seal;
    vouched: Vouched;
    now: Date;
  }): {
    removed?: Rows[];
    saved: Rows[];
  };
  /** Deletes things by id. */
  remove(em: EntityManager, accountId: string, ids: string[]): Promise<unknown>;
}
