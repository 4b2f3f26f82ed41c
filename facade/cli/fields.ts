import { toJson } from '@bufbuild/protobuf';
import type { UnaryRequest } from '@connectrpc/connect';

/** The flag that sets a field of the services; a field without one is called by its own name. */
const FLAGS: Readonly<Record<string, string>> = {
  accountId: '--account',
  address: '--address',
  alarmId: '--alarm',
  by: '--by',
  clearOnDisarm: '--clear-on-disarm',
  code: '--code',
  dailySpendCapCents: '--daily-spend-cap-cents',
  dailySpendCeilingCents: '--daily-spend-ceiling-cents',
  days: '--days',
  disabled: '--disable',
  everyS: '--every',
  expiresAt: '--expires',
  key: '--key',
  keep: '--keep',
  keyId: '--api-key',
  label: '--label',
  lastMonth: '--last-month',
  locale: '--locale',
  locationId: '--location',
  lookUrl: '--look-url',
  months: '--months',
  name: '--name',
  onSilence: '--on-silence',
  onlyWhenArmed: '--only-when-armed',
  ownerEmail: '--owner-email',
  ownerLocale: '--owner-locale',
  ownerTimeZone: '--owner-time-zone',
  overlapS: '--overlap',
  pageSize: '--limit',
  pageToken: '--page-token',
  plan: '--plan',
  otherwise: '--otherwise',
  policyId: '--policy',
  repeat: '--repeat',
  repeatDelayS: '--repeat-delay',
  askAgainAfterS: '--ask-again-after',
  responseKind: '--response',
  responseText: '--response-text',
  status: '--status',
  stillHappeningS: '--still-happening',
  drills: '--drills',
  supervisionS: '--supervision',
  test: '--test',
  testUntil: '--test-for',
  thingId: '--thing',
  timeZone: '--time-zone',
  voice: '--voice',
  showNumber: '--show-number',
  emergencyNumber: '--emergency-number',
};

/**
 * Returns what the person typed for the field that `path` (`modes[1].windowS`, with or without the thing before it)
 * names in a request: `--mode night:window`, `--step 2`, `--email`, `--name`. Empty for the request as a whole.
 */
export function nameField(path: string, request: UnaryRequest | undefined): string {
  const body = request === undefined ? {} : toJson(request.method.input, request.message);
  const parts = [...path.matchAll(/[^.[\]]+/g)].map(([part]) => part);
  const first = parts[0] ?? '';
  const inner = valueAt(body, first);
  // In `alarm.modes[1]` the thing itself tells the person nothing new.
  if (isRecord(inner) && parts.length > 1) return nameParts(parts.slice(1), inner);
  const things = isRecord(body) ? Object.values(body).filter(isRecord) : [];
  return nameParts(parts, things.find(thing => valueAt(thing, first) !== undefined) ?? body);
}

function nameParts(parts: readonly string[], thing: unknown): string {
  const [first = '', index, last] = parts;
  const item = valueAt(valueAt(thing, first), index ?? '');
  if (first === 'modes')
    return `--mode ${word(item, 'id', index)}${last === undefined ? '' : `:${PARTS[last] ?? last}`}`;
  if (first === 'hours') return index === undefined ? '--hours' : `--hours number ${Number(index) + 1}`;
  if (first === 'except') return index === undefined ? '--except' : `--except number ${Number(index) + 1}`;
  if (first === 'steps') return index === undefined ? '--step' : `--step number ${Number(index) + 1}`;
  if (first === 'channels') return index === undefined ? 'channels' : `--${word(item, 'channel', index)}`;
  return FLAGS[first] ?? parts.join('.');
}

/** The parts of --mode. */
const PARTS: Readonly<Record<string, string>> = { id: 'id', name: 'name', policyId: 'policy', windowS: 'window' };

function word(item: unknown, name: string, index: string | undefined): string {
  const value = valueAt(item, name);
  return typeof value === 'string' && value !== '' ? value : `number ${Number(index ?? 0) + 1}`;
}

function valueAt(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isRecord(value) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
