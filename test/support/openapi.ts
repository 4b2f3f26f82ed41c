import { type DescField, type DescMessage, type DescService, type FileRegistry, ScalarType } from '@bufbuild/protobuf';
import { getComments } from '@bufbuild/protoplugin';
import { type Binding, bindingsOf } from '../../facade/bindings.ts';
import { isRead } from '../../services/process/call-class.ts';

/** A JSON value under construction. */
type Json = Record<string, unknown>;

const REF = '#/components/schemas/';

/**
 * Makes the OpenAPI 3.1 document of /v1 from the protos: paths, parameters and data are theirs, words included. What the facade puts
 * around them (SPEC.md 2 "Response envelope", SPEC.md 7) stands here. `protos` must have the comments of their sources.
 */
export function openApiOf(protos: FileRegistry, version: string): Json {
  const services = [...protos]
    .filter(type => type.kind === 'service')
    .filter(service => bindingsOf([service]).length > 0);
  const schemas = new Map<string, Json>();
  const operations = bindingsOf(services).map(binding => [binding.template, { get: operationOf(binding, schemas) }]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tocsin',
      version,
      summary: 'Alert the right people, in order, until somebody acknowledges.',
      description: ABOUT,
    },
    // Relative to where the document is served.
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: services.map(service => ({ name: service.name, description: aboutService(service) })),
    paths: Object.fromEntries(operations),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key, `toc_…`.' },
      },
      schemas: Object.fromEntries([...Object.entries(ENVELOPES), ...[...schemas].sort(([a], [b]) => (a < b ? -1 : 1))]),
    },
  };
}

const ABOUT = [
  'Every call is a `GET` without a body; query strings and bodies are ignored. An answer of 202 means that the call is stored and will',
  'be applied in order, not that somebody was alerted. Every answer but a 401 is an envelope of five members. Clients ignore',
  'members that they do not know: new ones may be added.',
].join(' ');

/** What surrounds all data, and the answers that have none. */
const ENVELOPES: Json = {
  Links: {
    type: 'object',
    description: 'By their IANA relation name; empty when there are none.',
    properties: { help: { type: 'string', format: 'uri', description: 'The page that explains what to do.' } },
  },
  Failure: {
    type: 'object',
    required: ['error', 'message', 'links', 'traceId', 'data'],
    properties: {
      error: { const: true },
      message: { type: 'string', description: 'What was wrong and what to do, for a person.' },
      links: { $ref: `${REF}Links` },
      traceId: traceId(),
      data: { type: 'object', maxProperties: 0 },
    },
  },
  BadKey: {
    type: 'object',
    description: 'The same bytes whatever is wrong with the key.',
    required: ['message'],
    properties: { message: { type: 'string' } },
  },
};

function traceId(): Json {
  return { type: 'string', format: 'uuid', description: 'Names this one call; the owner finds it by this.' };
}

/** The words for each status; those of success depend on what was asked for. */
const REFUSED: Readonly<Record<number, string>> = {
  401: 'The key is missing or not valid.',
  404: 'No such ID, or not for this key, or it cannot fire: the same words for all of these. An unknown mode alone is explained, and `links.help` leads to the page about modes.',
  429: 'Too many calls with this key or of its account. Nothing was accepted: send it again after `Retry-After`.',
  500: 'A fault of the service. Report it with the `traceId`.',
  503: 'Nothing was accepted, as far as is known: send it again after `Retry-After`. A repeat is harmless.',
};

function operationOf(binding: Binding, schemas: Map<string, Json>): Json {
  const { method, template } = binding;
  const kind = isRead(method) ? 'read' : 'action';
  const [summary, description] = firstSentence(wordsOf(method));
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const refused = [401, ...(kind === 'action' ? [404] : []), 429, 500, 503];
  return {
    operationId: operationIdOf(binding, names),
    tags: [method.parent.name],
    summary,
    ...(description !== '' && { description }),
    ...(names.length > 0 && { parameters: names.map(name => parameterOf(method.input, name)) }),
    responses: {
      ...(kind === 'action'
        ? { 202: successOf('Stored, to be applied in order.', method.output, schemas) }
        : { 200: successOf('What there is now.', method.output, schemas) }),
      ...Object.fromEntries(refused.map(status => [status, refusalOf(status)])),
    },
  };
}

/** `arm`, and of a further path of the same RPC `armWithModeId`. */
function operationIdOf({ method }: Binding, names: readonly string[]): string {
  const [first] = bindingsOf([method.parent]).filter(binding => binding.method === method);
  const more = names.filter(name => !first!.template.includes(`{${name}}`));
  const words = more.map(name => camel(`_${name}`)).join('And');
  return more.length === 0 ? method.localName : `${method.localName}With${words}`;
}

function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function parameterOf(input: DescMessage, name: string): Json {
  const field = input.fields.find(candidate => candidate.name === name)!;
  // In a path a parameter is never absent.
  const description = wordsOf(field).replace(/Absent: [^.]*\. ?/, '');
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

function successOf(description: string, output: DescMessage, schemas: Map<string, Json>): Json {
  const schema = {
    type: 'object',
    required: ['error', 'message', 'links', 'traceId', 'data'],
    properties: {
      error: { const: false },
      message: { type: 'null' },
      links: { $ref: `${REF}Links` },
      traceId: traceId(),
      data: messageRef(output, schemas),
    },
  };
  return { description, content: { 'application/json': { schema } } };
}

function refusalOf(status: number): Json {
  const schema = { $ref: `${REF}${status === 401 ? 'BadKey' : 'Failure'}` };
  const retryAfter = { 'Retry-After': { description: 'In seconds.', schema: { type: 'integer' } } };
  return {
    description: REFUSED[status],
    ...((status === 429 || status === 503) && { headers: retryAfter }),
    content: { 'application/json': { schema } },
  };
}

/** Puts the schema of a message, and of those within it, to the others. */
function messageRef(message: DescMessage, schemas: Map<string, Json>): Json {
  const { name } = message;
  if (!schemas.has(name)) {
    const schema: Json = { type: 'object', description: wordsOf(message) };
    schemas.set(name, schema);
    const properties = message.fields.map(field => [
      field.jsonName,
      { ...schemaOf(field, schemas), description: wordsOf(field) },
    ]);
    // What is no `optional` field is always sent, empty or not.
    const required = message.fields.filter(({ proto }) => !proto.proto3Optional).map(({ jsonName }) => jsonName);
    Object.assign(schema, { required, properties: Object.fromEntries(properties) });
  }
  return { $ref: REF + name };
}

function schemaOf(field: DescField, schemas: Map<string, Json>): Json {
  if (field.fieldKind === 'message') return messageRef(field.message, schemas);
  if (field.fieldKind === 'list' && field.listKind === 'message') {
    return { type: 'array', items: messageRef(field.message, schemas) };
  }
  if (field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING) return { type: 'string' };
  if (field.fieldKind === 'scalar' && field.scalar === ScalarType.BOOL) return { type: 'boolean' };
  if (field.fieldKind === 'scalar' && field.scalar === ScalarType.INT32) return { type: 'integer', format: 'int32' };
  throw new Error(`${field} has a type that test/support/openapi.ts does not know yet: say there what it is in JSON.`);
}

function aboutService(service: DescService): string {
  return wordsOf(service).split('\n\n')[0]!;
}

/** The comment of a part of the protos in the words of /v1: without citations, paragraphs apart. Every part has one (buf lint). */
function wordsOf(desc: DescField | DescMessage | DescService | Binding['method']): string {
  const comment = getComments(desc).leading ?? '';
  const paragraphs = comment.split(/\n\s*\n/).map(paragraph => paragraph.replaceAll(/\s+/g, ' ').trim());
  return paragraphs
    .join('\n\n')
    .replaceAll(/ \((SPEC|DECISIONS)\.md [^)]*\)/g, '')
    .replaceAll(/NOT_FOUND `\w+`/g, '404')
    .replaceAll('response metadata', 'response header');
}

/** The first sentence, and the rest. */
function firstSentence(words: string): [string, string] {
  const [first] = /^.*?\.(?=\s|$)/s.exec(words) ?? [words];
  return [first.trim(), words.slice(first.length).trim()];
}
