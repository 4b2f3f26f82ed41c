import { escapeHtml } from '../services/process/text.ts';

/** A JSON schema, as far as the OpenAPI document of /v1 uses them. */
interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  format?: string;
  description?: string;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Answered {
  description: string;
  headers?: Record<string, { description: string }>;
  content: Record<string, { schema: Schema }>;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: { name: string; description: string; schema: Schema }[];
  responses: Record<string, Answered>;
}

/** The document as far as the page shows it. test/facade/openapi.test.ts checks that it shows everything. */
interface Document {
  info: { version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, { get: Operation }>;
  components: { schemas: Record<string, Schema> };
}

/**
 * Renders the OpenAPI document of /v1 as the main part of a page: every call with its parameters and answers, and every
 * schema once. Plain HTML without a script; the examples use `publicUrl`.
 */
export function openApiMain(text: string, publicUrl: string): string {
  const { info, tags, paths, components } = JSON.parse(text) as Document;
  const calls = Object.entries(paths).map(([path, { get }]) => ({ path, ...get }));
  const sections = tags.map(({ name, description }) => {
    const own = calls.filter(call => call.tags.includes(name));
    return `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2>\n${paragraphs(description)}${own.map(call => section(call, publicUrl)).join('')}`;
  });
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema));
  return [
    '<h1>Every call</h1>\n',
    paragraphs(info.description),
    `<p>Version ${escapeHtml(info.version)}. The same for programs: <a href="/docs/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>\n`,
    ...sections,
    '<h2 id="schemas">Schemas</h2>\n',
    ...schemas,
  ].join('');
}

function section(
  { path, operationId, summary, description, parameters = [], responses }: Call,
  publicUrl: string,
): string {
  const id = escapeHtml(operationId);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const example = `curl -H "X-API-Key: $TOCSIN_KEY" ${publicUrl}${escapeHtml(filled)}`;
  return [
    `<h3 id="${id}"><code>GET ${escapeHtml(path)}</code></h3>\n`,
    paragraphs(summary),
    paragraphs(description ?? ''),
    `<pre tabindex="0"><code class="commands"><span>${example}</span></code></pre>\n`,
    parameters.length === 0 ? '' : table(['In the path', 'What it is'], parameters.map(parameterRow)),
    table(['Status', 'What it means', 'Body'], Object.entries(responses).map(answerRow)),
  ].join('');
}

type Call = Operation & { path: string };

function parameterRow({ name, description, schema }: NonNullable<Operation['parameters']>[number]): string[] {
  return [`<code>${escapeHtml(name)}</code>`, `${inline(description)} <i>${typeOf(schema)}</i>`];
}

function answerRow([status, { description, headers = {}, content }]: [string, Answered]): string[] {
  const schema = Object.values(content)[0]!.schema;
  const data = schema.properties?.data;
  const body = data === undefined ? typeOf(schema) : `envelope, <code>data</code>: ${typeOf(data)}`;
  const named = Object.keys(headers).map(name => ` With <code>${escapeHtml(name)}</code>.`);
  return [status, inline(description) + named.join(''), body];
}

function schemaSection(name: string, { description = '', properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([member, schema]) => {
    const maybe = required.includes(member) ? '' : ', may be absent';
    return [`<code>${escapeHtml(member)}</code>`, `${typeOf(schema)}${maybe}`, inline(schema.description ?? '')];
  });
  const members = rows.length === 0 ? '' : table(['Member', 'Type', 'What it is'], rows);
  return `<h3 id="schema-${escapeHtml(name)}">${escapeHtml(name)}</h3>\n${paragraphs(description)}${members}`;
}

/** Returns a type in words, as HTML; a type with a section of its own is a link. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = escapeHtml(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if ('const' in schema) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  return escapeHtml([schema.type ?? 'anything', schema.format].filter(Boolean).join(', '));
}

/** Like the tables of markdown.ts: on a narrow screen a row becomes a block. */
function table(titles: string[], rows: string[][]): string {
  const label = (at: number) => (at === 0 ? '' : ` data-label="${titles[at]}"`);
  const body = rows.map(row => `<tr>${row.map((cell, at) => `<td${label(at)}>${cell}</td>`).join('')}</tr>\n`);
  const head = titles.map(title => `<th>${title}</th>`).join('');
  return `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('')}</tbody>\n</table>\n`;
}

function paragraphs(text: string): string {
  const some = text.split('\n\n').filter(paragraph => paragraph !== '');
  return some.map(paragraph => `<p>${inline(paragraph)}</p>\n`).join('');
}

/** Returns a proto comment as HTML: text between backticks is code. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}
