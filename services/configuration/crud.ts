import type { DescService } from '@bufbuild/protobuf';
import type { FieldMask } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { withAccess } from '../rpc/auth.ts';
import { pageAsked } from '../rpc/pages.ts';
import { say } from '../rpc/reader.ts';
import { newId } from '../store/id.ts';
import type { Connection } from '../store/statement.ts';
import type { OpenAccount } from './change.ts';
import { type ConsoleOn, changing, type FindingInit, readOnOf, requireField } from './console.ts';
import { editOf } from './edit.ts';
import { changedMeanwhile, faultsOf, invalidField, invalidFields, mismatchOf } from './errors.ts';
import { keyFrom } from './fields.ts';
import { thingNamed } from './no-such.ts';
import { type Page, readKeys, readPage } from './read.ts';
import type { Document, OwnedRow, Resource, ResourceKind, Stored } from './resource.ts';
import { location } from './resources/location.ts';

/** The fields that identify a resource in its messages. */
interface Named {
  id: string;
  key: string;
  version: number;
}

/** A document as given in a request: undefined fields were not given. */
type Given<Doc> = { [Field in keyof Doc]?: unknown };

/** How messages and documents of a resource are converted into each other. */
export interface CrudOf<Doc extends Document, Row extends OwnedRow, Message extends Named, Init> {
  resource: Resource<Doc, Row>;
  /** The document as requested. Empty strings and lists count as not given if the resource has a default. */
  givenBy(message: Message, now: Date): Given<Doc>;
  /** Fields that an update without a mask leaves alone if they were not given. */
  kept: readonly (keyof Doc & string)[];
  /** Returns how things of an account are shown now. */
  viewer(on: Connection, accountId: string): Promise<(stored: Stored<Doc>) => Init>;
  /** Refuses a change for reasons of this resource. Throws. */
  mayChange?(open: OpenAccount, before: Stored<Doc>, after: Doc, force: 'force' | 'careful'): Promise<void>;
}

export interface Crud<Message, Init> {
  create(message: Message | undefined, context: HandlerContext): Promise<{ thing: Init; findings: FindingInit[] }>;
  get(named: string, context: HandlerContext): Promise<Init>;
  list(request: ListAsked, context: HandlerContext): Promise<Page<Init>>;
  update(asked: UpdateAsked<Message>, context: HandlerContext): Promise<{ thing: Init; findings: FindingInit[] }>;
  remove(asked: { named: string; version: number }, context: HandlerContext): Promise<Record<string, never>>;
}

interface ListAsked {
  pageSize: number;
  pageToken: string;
  /** Narrows to a location, by id or key; empty: all. */
  locationId?: string;
  /** Narrows to those whose name contains it, at most SEARCH_MOST characters; empty: all. */
  search?: string;
}

interface UpdateAsked<Message> {
  message: Message | undefined;
  mask: FieldMask | undefined;
  force?: boolean;
}

/** As long as a name may be, in characters. */
const SEARCH_MOST = 100;

/** Creates create, get, list, update and delete of a resource, the same for each. */
export function createCrud<Doc extends Document, Row extends OwnedRow, Message extends Named, Init>(
  on: ConsoleOn,
  of: CrudOf<Doc, Row, Message, Init>,
): Crud<Message, Init> {
  const { resource } = of;
  const asked = withAccess(on.store, on.pepper);
  const change = changing(on);
  const field = resource.kind.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

  /** Reads what was stored, in the same transaction; findings are added once that is committed. */
  const stored = async (open: OpenAccount, id: string) => {
    const { accountId, client } = open;
    const view = await of.viewer(client, accountId);
    return { accountId, id, thing: view(await thingNamed(open, resource, id)) };
  };
  const create = change(async (message: Message | undefined, open) => {
    const after = await newDocument(open, resource, of.givenBy(requireField(message, field), open.now));
    const id = newId();
    await open.write([editOf(resource, id, null, after)]);
    return stored(open, id);
  });
  const update = change(async ({ message, mask, force = false }: UpdateAsked<Message>, open) => {
    const wanted = requireField(message, field);
    const before = await thingNamed(open, resource, wanted.id || wanted.key);
    if (wanted.version !== before.version) throw changedMeanwhile(resource.kind, wanted.version, before.version);
    const after = checked(resource, merge(of, before.doc, of.givenBy(wanted, open.now), mask));
    await of.mayChange?.(open, before, after, force ? 'force' : 'careful');
    const written = await open.write([editOf(resource, before.id, before, after)]);
    if (written.length > 0 && (resource.facts === 'of_doc' || open.plan === 'limited')) return stored(open, before.id);
    const view = await of.viewer(open.client, open.accountId);
    const now = written.length === 0 ? before : { ...before, version: before.version + 1, doc: after };
    return { accountId: open.accountId, id: before.id, thing: view(now) };
  });
  const answer = async ({ accountId, id, thing }: Awaited<ReturnType<typeof stored>>) => ({
    thing,
    findings: await on.findingsAbout(accountId, resource.kind, id),
  });

  return {
    create: async (message, context) => answer(await create(message, context)),
    get: asked(async (named, { accountId }) => {
      const stored = await thingNamed(readOnOf(on, accountId), resource, named);
      return (await of.viewer(on.store.pool, accountId))(stored);
    }),
    list: asked(async ({ locationId = '', search = '', ...request }, { accountId }) => {
      if (search.length > SEARCH_MOST || /\p{Cc}/u.test(search)) {
        throw invalidField('search', say().accepts.search(SEARCH_MOST), search);
      }
      const from = readOnOf(on, accountId);
      const narrowed = locationId === '' ? '' : (await thingNamed(from, location, locationId)).id;
      const page = await readPage(from, resource, { ...pageAsked(request), locationId: narrowed, search });
      const view = await of.viewer(on.store.pool, accountId);
      return { things: page.things.map(view), nextPageToken: page.nextPageToken };
    }),
    update: async (request, context) => answer(await update(request, context)),
    remove: change(async ({ named, version }, open) => {
      const before = await thingNamed(open, resource, named);
      if (version !== 0 && version !== before.version) throw changedMeanwhile(resource.kind, version, before.version);
      await open.write([editOf(resource, before.id, before, null)]);
      return {};
    }),
  };
}

/** The methods of a service that create, get, list, update and delete its resource. */
type CrudMethods<Service extends DescService> = Pick<
  ServiceImpl<Service>,
  Extract<keyof Service['method'], `${'create' | 'get' | 'list' | 'update' | 'delete'}${string}`>
>;

/**
 * Makes these methods. What they and their fields are called is read from the service: `createAlarm` takes and gives `alarm`, `getAlarm`
 * takes `alarmId`, `listAlarms` gives `alarms`.
 */
export function crudMethods<Service extends DescService, Message extends Named, Init>(
  { methods }: Service,
  crud: Crud<Message, Init>,
): CrudMethods<Service> {
  const calledBy = (verb: string) => {
    const { localName } = methods.find(({ localName }) => localName.startsWith(verb))!;
    return localName.slice(verb.length);
  };
  const [noun, nouns] = [calledBy('create'), calledBy('list')];
  const field = noun.charAt(0).toLowerCase() + noun.slice(1);
  const fields = nouns.charAt(0).toLowerCase() + nouns.slice(1);
  type Request = Record<string, never>;
  const answer = ({ thing, findings }: { thing: Init; findings: FindingInit[] }) => ({ [field]: thing, findings });
  const made = {
    [`create${noun}`]: async (asked: Request, context: HandlerContext) =>
      answer(await crud.create(asked[field], context)),
    [`get${noun}`]: async (asked: Request, context: HandlerContext) => ({
      [field]: await crud.get(asked[`${field}Id`]!, context),
    }),
    [`list${nouns}`]: async (asked: ListAsked, context: HandlerContext) => {
      const { things, nextPageToken } = await crud.list(asked, context);
      return { [fields]: things, nextPageToken };
    },
    [`update${noun}`]: async (asked: Request, context: HandlerContext) => {
      const { [field]: message, updateMask: mask, force = false } = asked;
      return answer(await crud.update({ message, mask, force }, context));
    },
    [`delete${noun}`]: (asked: Request, context: HandlerContext) =>
      crud.remove({ named: asked[`${field}Id`]!, version: asked.version! }, context),
  };
  return made as unknown as CrudMethods<Service>;
}

/**
 * Returns a new document with all its defaults, and a key made from its name if none was chosen. Throws
 * INVALID_ARGUMENT.
 */
export async function newDocument<Doc extends Document, Row extends OwnedRow>(
  open: OpenAccount,
  resource: Resource<Doc, Row>,
  asked: Given<Doc>,
): Promise<Doc> {
  const made = checked(resource, { ...asked, key: asked.key ?? resource.kind.replaceAll('_', '-') });
  return asked.key === undefined ? { ...made, key: await freeKey(open, resource, made) } : made;
}

async function freeKey<Doc extends Document, Row extends OwnedRow>(
  open: OpenAccount,
  resource: Resource<Doc, Row>,
  doc: Doc,
): Promise<string> {
  const stem = keyFrom(resource.nameOf(doc)) || resource.kind.replaceAll('_', '-');
  const [taken] = await readKeys(open, resource, { key: stem });
  return taken === undefined ? stem : `${stem}-${newId().slice(0, 6)}`;
}

/** Throws INVALID_ARGUMENT with everything that is wrong. */
export function checked<Doc extends Document>(resource: Pick<Resource<Doc>, 'schema'>, input: Given<Doc>): Doc {
  const result = resource.schema.safeParse(input);
  if (!result.success) throw invalidFields(faultsOf(result.error));
  return result.data;
}

/**
 * Without a mask every field is set as requested, except for those kept if not given; with one only the fields it
 * names.
 */
function merge<Doc extends Document, Row extends OwnedRow, Message extends Named>(
  { resource, kept }: Pick<CrudOf<Doc, Row, Message, unknown>, 'resource' | 'kept'>,
  before: Doc,
  asked: Given<Doc>,
  mask: FieldMask | undefined,
): Given<Doc> {
  const paths = mask?.paths ?? [];
  if (paths.length > 0) {
    const named = namedFields(resource.kind, asked, paths);
    // On the wire an empty list looks like an absent one; a mask that names it means it.
    const emptied = named.filter(field => Array.isArray(before[field]) && asked[field] === undefined);
    return { ...before, ...only(asked, named), ...Object.fromEntries(emptied.map(field => [field, []])) };
  }
  const stay = (['key', ...kept] as (keyof Doc & string)[]).filter(field => isEmpty(asked[field]));
  return { ...asked, ...only(before, stay) };
}

/** Returns the fields of a mask by their names here. Throws INVALID_ARGUMENT for unknown ones. */
function namedFields<Doc>(kind: ResourceKind, asked: Given<Doc>, paths: readonly string[]): (keyof Doc)[] {
  const fields = paths.map(path => path.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
  const known = Object.keys(asked);
  const faults = fields
    .filter(field => !known.includes(field))
    .map(field => ({
      field: 'updateMask',
      problem: mismatchOf(say().accepts.fieldsOf(kind, known), field),
    }));
  if (faults.length > 0) throw invalidFields(faults);
  return fields as (keyof Doc)[];
}

function only<T extends object>(from: T, fields: readonly PropertyKey[]): Partial<T> {
  return Object.fromEntries(fields.map(field => [field, from[field as keyof T]])) as Partial<T>;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
