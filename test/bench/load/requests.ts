import { readFile, writeFile } from 'node:fs/promises';

/** One request: a GET, or a POST of JSON where there is a body. No part of it holds a tab or a line end. */
export interface Request {
  path: string;
  apiKey?: string;
  body?: string;
}

/** Writes requests as every generator reads them, wrk's script too: a line each, path, key and body between tabs. */
export async function saveRequests(file: string, requests: readonly Request[]): Promise<string> {
  const lines = requests.map(({ path, apiKey = '', body = '' }) => `${path}\t${apiKey}\t${body}\n`);
  await writeFile(file, lines.join(''));
  return file;
}

/** Reads what `saveRequests` wrote. */
export async function loadRequests(file: string): Promise<Request[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map(line => {
    const [path = '', apiKey = '', body = ''] = line.split('\t');
    return { path, ...(apiKey !== '' && { apiKey }), ...(body !== '' && { body }) };
  });
}

/** The headers that a request has besides those of HTTP itself. */
export function headersOf({ apiKey, body }: Request): Record<string, string> {
  return {
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}
