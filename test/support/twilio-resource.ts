import { parseTwiml } from './twiml.ts';

/** A text or a call as the API took it. */
export interface TwilioResource {
  sid: string;
  /** Every field of the request, the last of those that came twice. */
  fields: Readonly<Record<string, string>>;
  /** When it was taken, milliseconds since 1970. */
  at: number;
  /** As the API lists it. */
  status: string;
  errorCode: number | null;
}

/** Numbers that behave in one way at Twilio itself, with test credentials, and its codes for texts and calls to them. */
const MAGIC: Readonly<Record<string, { text: number; call: number }>> = {
  '+15005550001': { text: 21211, call: 21217 },
  '+15005550002': { text: 21612, call: 21214 },
  '+15005550003': { text: 21408, call: 21215 },
  '+15005550004': { text: 21610, call: 21216 },
  '+15005550009': { text: 21614, call: 13224 },
};

/** The code with which Twilio refuses a text; null: it takes it. */
export function wrongMessage(
  { To, From, Body, StatusCallback, ValidityPeriod = '14400' }: Record<string, string>,
  from: string,
) {
  if (To === undefined) return 21604;
  if (!/^\+[1-9]\d{6,14}$/.test(To)) return 21211;
  if (From === undefined) return 21603;
  if (From !== from) return 21659;
  if (Body === undefined || Body === '') return 21602;
  if (Body.length > 1600) return 21617;
  if (StatusCallback !== undefined && !isCallable(StatusCallback)) return 21609;
  if (!/^\d+$/.test(ValidityPeriod) || Number(ValidityPeriod) < 1 || Number(ValidityPeriod) > 36_000) return 20001;
  return MAGIC[To]?.text ?? null;
}

/** A WhatsApp sender at Twilio, and its approved templates: their texts, by their ContentSids. */
export interface WhatsAppSender {
  from: string;
  templates: ReadonlyMap<string, string>;
}

/** The code with which Twilio refuses a message over WhatsApp; null: it takes it. */
export function wrongWhatsApp(
  { To = '', From = '', Body, ContentSid, ContentVariables = '', StatusCallback }: Record<string, string>,
  { from, templates }: WhatsAppSender,
) {
  if (!/^whatsapp:\+[1-9]\d{6,14}$/.test(To)) return 21211;
  if (!From.startsWith('whatsapp:')) return 21910;
  if (From !== `whatsapp:${from}`) return 63007;
  if (Body !== undefined || ContentSid === undefined) return 63016;
  if (!templates.has(ContentSid)) return 21655;
  if (!fitsVariables(ContentVariables)) return 21656;
  if (StatusCallback !== undefined && !isCallable(StatusCallback)) return 21609;
  return MAGIC[To.slice('whatsapp:'.length)] === undefined ? null : 63003;
}

function fitsVariables(json: string): boolean {
  try {
    const values = Object.entries(JSON.parse(json) as Record<string, unknown>);
    const [[name, value] = ['', ''], ...more] = values;
    return more.length === 0 && name === '1' && typeof value === 'string' && fits(value);
  } catch {
    return false;
  }
}

/** As what Meta takes for a variable. */
function fits(value: string): boolean {
  return value !== '' && value.length <= 1024 && !/[\n\t]| {5}/.test(value);
}

/** What a person reads: of a template with its variable in it. */
export function textOf({ fields }: TwilioResource, { templates }: WhatsAppSender): string | undefined {
  const template = templates.get(fields.ContentSid ?? '');
  if (template === undefined) return fields.Body;
  return template.replace(
    '{{1}}',
    () => (JSON.parse(fields.ContentVariables ?? '{}') as Record<string, string>)['1'] ?? '',
  );
}

/** The code with which Twilio refuses a call; null: it takes it. */
export function wrongCall(fields: Record<string, string>, from: string) {
  const { To, From, Url, Twiml: inline, StatusCallback, Timeout = '60' } = fields;
  if (To === undefined) return 21201;
  if (!/^\+[1-9]\d{6,14}$/.test(To)) return 21211;
  if (From === undefined) return 21213;
  if (From !== from) return 21210;
  if (Url === undefined ? inline === undefined : !isCallable(Url)) return 21205;
  if (StatusCallback !== undefined && !isCallable(StatusCallback)) return 21609;
  if (!/^\d+$/.test(Timeout) || Number(Timeout) > 600) return 20001;
  if (Url === undefined && inline !== undefined && (inline.length > 4000 || !isTwiml(inline))) return 20001;
  return MAGIC[To]?.call ?? null;
}

function isCallable(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && new URL(url).hostname !== 'localhost';
}

function isTwiml(xml: string): boolean {
  try {
    return parseTwiml(xml).verbs.length > 0;
  } catch {
    return false;
  }
}
