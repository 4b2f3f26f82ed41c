import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { words as de } from '../../facade/console/words/de/rest.ts';
import { words as en } from '../../facade/console/words/en/rest.ts';
import { PLACEHOLDER, type RecipeFor } from '../../facade/recipes/recipe.ts';
import { RECIPE_NAMES, RECIPES, type RecipeName } from '../../facade/recipes/recipes.ts';
import { startWorld } from '../support/world.ts';

const [english, german] = [en.recipes, de.recipes];

/** A product with a live alarm and a panic button, and what recipes for each are made of. */
async function aHouse() {
  const world = await startWorld();
  const owner = await world.account();
  const secret = await owner.key();
  const ids = {
    alarm: await owner.alarm({ name: 'House' }),
    panic_button: await owner.panicButton({ name: 'Bedside' }),
  };
  const of = (kind: RecipeFor['kind'], more: Partial<RecipeFor> = {}): RecipeFor => ({
    ...{ kind, id: ids[kind], name: 'House', key: 'front-door', base: world.url, secret },
    ...more,
  });
  return {
    world,
    of,
    secret,
    /** What opened since, by the id of its source. */
    async fired(): Promise<string[]> {
      await world.settle();
      return (await owner.incidents()).map(({ sourceId }) => sourceId);
    },
    ids,
  };
}

const KINDS = ['alarm', 'panic_button'] as const;

// biome-ignore lint/suspicious/noExplicitAny: files of other programs, looked into by the tests.
type Parsed = Record<string, any>;

/** Reads YAML as Home Assistant and ESPHome do: `!secret` names a value of another file. */
function parsed(text: string, secrets: Record<string, string> = {}): Parsed {
  const secret = { tag: '!secret', resolve: (name: string) => secrets[name] };
  const document = parseDocument(text, { customTags: [secret] });
  expect(document.errors).toEqual([]);
  expect(document.warnings).toEqual([]);
  return document.toJS() as Parsed;
}

/** All keys of a part are ones that the program documents. */
function takesOnly(part: object, documented: readonly string[]): void {
  expect(Object.keys(part).filter(key => !documented.includes(key))).toEqual([]);
}

/** Sends what a program was told to send. */
async function send({ url, method, headers }: { url: string; method: string; headers: Record<string, string> }) {
  return (await fetch(url, { method, headers })).status;
}

test('every recipe holds the real id and address, and the key while it is shown; otherwise it says where one goes', () => {
  const of = {
    kind: 'alarm',
    id: 'a'.repeat(32),
    name: 'House',
    key: 'house',
    base: 'https://alarm.example/tocsin',
  } as const;
  for (const name of RECIPE_NAMES) {
    const shown = RECIPES[name]({ ...of, secret: 'toc_secret' }).text;
    expect(shown, name).toContain(`https://alarm.example/tocsin/v1/alarm/${of.id}/`);
    expect(shown, name).toContain('toc_secret');
    const kept = RECIPES[name]({ ...of, secret: null }).text;
    expect(kept.split(PLACEHOLDER), name).toHaveLength(2);
    expect(kept.replace('/dev/null', ''), name).not.toMatch(/null|undefined/);
    expect([english.names[name], english.how[name], german.names[name], german.how[name]], name).not.toContain(
      undefined,
    );
  }
  expect(english.keyMissing).toContain(PLACEHOLDER);
  expect(german.keyMissing).toContain(PLACEHOLDER);
});

describe.each(KINDS)('for what is of the kind %s', kind => {
  test('curl: a shell runs the text as it is', async () => {
    const { of, fired, ids } = await aHouse();
    const { stdout } = await promisify(execFile)('sh', ['-ec', RECIPES.curl(of(kind)).text]);
    expect(JSON.parse(stdout)).toMatchObject({ error: false });
    expect(await fired()).toEqual([ids[kind]]);
  });

  test('systemd: a shell runs ExecStart with the environment of its file; the directives are those of systemd.service(5)', async () => {
    const { of, fired, ids, secret } = await aHouse();
    const lines = RECIPES.systemd(of(kind))
      .text.split('\n')
      .filter(line => line !== '' && !line.startsWith('#'));
    const directives = lines.filter(line => !line.startsWith('[')).map(line => line.slice(0, line.indexOf('=')));
    expect(directives).toEqual(['Description', 'Type', 'EnvironmentFile', 'ExecStart']);
    const start = lines.find(line => line.startsWith('ExecStart='))!.slice('ExecStart='.length);
    // An absolute path, as units need it; words, quotes and ${…} are read alike by a shell.
    await promisify(execFile)('sh', ['-ec', start.replace('/usr/bin/curl', 'curl')], {
      env: { ...process.env, TOCSIN_KEY: secret },
    });
    expect(await fired()).toEqual([ids[kind]]);
  });

  test('Frigate: the file has the keys of the full sample of frigate-notify, and its request fires', async () => {
    const { of, fired, ids } = await aHouse();
    const { alerts } = parsed(RECIPES.frigate(of(kind)).text);
    takesOnly(alerts, ['general', 'quiet', 'zones', 'labels', 'sublabels', 'webhook']);
    takesOnly(alerts.labels, ['min_score', 'allow', 'block']);
    takesOnly(alerts.webhook, ['enabled', 'server', 'ignoressl', 'method', 'params', 'headers', 'template']);
    const { server: url, method, headers } = alerts.webhook;
    expect(await send({ url, method, headers: Object.assign({}, ...headers) })).toBe(202);
    expect(await fired()).toEqual([ids[kind]]);
  });

  test('UniFi Protect: what is typed into its form is a request that fires', async () => {
    const { of, fired, ids } = await aHouse();
    const lines = RECIPES.unifi(of(kind))
      .text.split('\n')
      .filter(line => line.includes(': '));
    const form = Object.fromEntries(lines.map(line => line.trim().split(/: (.*)/)));
    const headers = { [form.Header]: form.Value };
    expect(await send({ url: form['Delivery URL'], method: form.Method, headers })).toBe(202);
    expect(await fired()).toEqual([ids[kind]]);
  });

  test('Healthchecks: what is typed into the form of its webhook is a request that fires, and nothing is sent when it is up', async () => {
    const { of, fired, ids } = await aHouse();
    const [, down = '', up = ''] = RECIPES.healthchecks(of(kind)).text.split(/^Execute when a check goes .*\n/m);
    const form = Object.fromEntries(
      down
        .trimEnd()
        .split('\n')
        .map(line => line.trim().split(/: (.*)/)),
    );
    expect(Object.keys(form)).toEqual(['Method', 'URL', 'Request Headers']);
    // Its form splits a header at the first colon, and takes the rest without the spaces around it.
    const [header = '', value = ''] = form['Request Headers'].split(/:(.*)/).map((part: string) => part.trim());
    expect(form['Request Headers'] + form.URL).not.toContain('$');
    expect(await send({ url: form.URL, method: form.Method, headers: { [header]: value } })).toBe(202);
    expect(up).not.toContain('http');
    expect(await fired()).toEqual([ids[kind]]);
  });

  test('Gatus: the file has the keys that its custom provider and default alerts document, and its request fires', async () => {
    const { of, fired, ids } = await aHouse();
    const { text } = RECIPES.gatus(of(kind));
    const { alerting } = parsed(text);
    takesOnly(alerting, ['custom']);
    takesOnly(alerting.custom, [
      'url',
      'method',
      'body',
      'headers',
      'placeholders',
      'client',
      'default-alert',
      'overrides',
    ]);
    takesOnly(alerting.custom['default-alert'], [
      ...['enabled', 'failure-threshold', 'success-threshold', 'minimum-reminder-interval'],
      ...['send-on-resolved', 'description'],
    ]);
    const endpoint = text.slice(text.indexOf('#   alerts')).replaceAll(/^#/gm, '');
    expect(parsed(endpoint)).toEqual({ alerts: [{ type: 'custom' }] });
    // Gatus puts variables of its environment where a dollar sign is, and facts of the endpoint where brackets are.
    expect(text).not.toMatch(/[$[\]]/);
    const { url, method, headers } = alerting.custom;
    expect(await send({ url, method, headers })).toBe(202);
    expect(await fired()).toEqual([ids[kind]]);
  });

  test('anything else: method, URL, header and value are a request that fires, and what answers is what it says', async () => {
    const { of, fired, ids } = await aHouse();
    const lines = RECIPES.http(of(kind)).text.trimEnd().split('\n');
    const form = Object.fromEntries(lines.map(line => line.split(/: (.*)/)));
    const status = await send({ url: form.URL, method: form.Method, headers: { [form.Header]: form.Value } });
    expect(String(status)).toBe(form.Success);
    expect(await fired()).toEqual([ids[kind]]);
  });

  test('ESPHome: the file has the keys that http_request and a gpio binary_sensor document, and its request fires', async () => {
    const { of, fired, ids, secret } = await aHouse();
    const file = parsed(RECIPES.esphome(of(kind)).text, { tocsin_key: secret });
    takesOnly(file, ['http_request', 'binary_sensor']);
    takesOnly(file.http_request, ['timeout', 'verify_ssl', 'useragent', 'follow_redirects', 'redirect_limit']);
    const [sensor] = file.binary_sensor;
    takesOnly(sensor, ['platform', 'name', 'id', 'pin', 'filters', 'on_press']);
    takesOnly(sensor.pin, ['number', 'mode', 'inverted']);
    const get = sensor.on_press.then[0]['http_request.get'];
    takesOnly(get, ['url', 'request_headers', 'capture_response', 'on_response', 'on_error']);
    expect(await send({ url: get.url, method: 'GET', headers: get.request_headers })).toBe(202);
    expect(await fired()).toEqual([ids[kind]]);
  });

  test('Shelly: the script runs before a stand-in of its API, fires when its input goes on, and tries again', async () => {
    const { of, fired, ids } = await aHouse();
    let handler: (status: object) => void = () => {};
    const answers: number[] = [];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const Shelly = {
      addStatusHandler: (given: typeof handler) => (handler = given),
      call(method: string, request: Parameters<typeof send>[0], answered: (...came: unknown[]) => void) {
        expect(method).toBe('HTTP.Request');
        // The first try meets a line that is down.
        if (answers.push(0) === 1) return answered(null, -114, 'no route to host');
        void send(request).then(code => {
          answered({ code }, 0, '');
          resolve();
        });
      },
    };
    const Timer = { set: (_ms: number, _repeat: boolean, act: () => void) => act() };
    runInNewContext(RECIPES.shelly(of(kind)).text, { Shelly, Timer, print: () => {} });
    handler({ component: 'input:1', delta: { state: true } });
    handler({ component: 'input:0', delta: { state: false } });
    expect(answers).toEqual([]);
    handler({ component: 'input:0', delta: { state: true } });
    await done;
    expect(answers).toHaveLength(2);
    expect(await fired()).toEqual([ids[kind]]);
  });

  test('Homebridge: the accessory has the keys that homebridge-http-switch documents, and its request fires', async () => {
    const { of, fired, ids } = await aHouse();
    const { accessories } = JSON.parse(RECIPES.homebridge(of(kind)).text);
    takesOnly(accessories[0], ['accessory', 'name', 'switchType', 'onUrl', 'timeout']);
    expect(accessories[0]).toMatchObject({ accessory: 'HTTP-SWITCH', switchType: 'stateless' });
    takesOnly(accessories[0].onUrl, ['url', 'method', 'body', 'strictSSL', 'auth', 'headers', 'requestTimeout']);
    expect(await send(accessories[0].onUrl)).toBe(202);
    expect(await fired()).toEqual([ids[kind]]);
  });
});

const COMMAND = [
  'url',
  'method',
  'headers',
  'payload',
  'username',
  'password',
  'content_type',
  'timeout',
  'verify_ssl',
];
const PANEL_ACTIONS = ['arm_home', 'arm_away', 'arm_night', 'arm_vacation', 'disarm', 'trigger'];

describe('Home Assistant: the package has the keys that its integrations document', () => {
  test('an alarm: every action of the panel is accepted, and the sensor reads what state answers', async () => {
    const { of, fired, ids, secret, world } = await aHouse();
    const file = parsed(RECIPES.ha(of('alarm')).text, { tocsin_key: secret });
    takesOnly(file, ['rest_command', 'rest', 'template']);
    const command = file.rest_command.tocsin_front_door;
    takesOnly(command, COMMAND);
    const [panel] = file.template[0].alarm_control_panel;
    takesOnly(panel, ['name', 'unique_id', 'code_arm_required', 'code_format', 'state', ...PANEL_ACTIONS]);
    for (const name of PANEL_ACTIONS) {
      const [{ action, data }] = panel[name];
      expect(action).toBe('rest_command.tocsin_front_door');
      const url = command.url.replace('{{ action }}', data.action);
      expect(await send({ url, method: 'GET', headers: command.headers }), name).toBe(202);
    }
    expect(await fired()).toEqual([ids.alarm]);

    const [read] = file.rest;
    takesOnly(read, ['resource', 'headers', 'scan_interval', 'sensor']);
    takesOnly(read.sensor[0], ['name', 'unique_id', 'value_template']);
    const answer = (await (await fetch(read.resource, { headers: read.headers })).json()) as Parsed;
    expect(read.sensor[0].value_template).toContain('value_json.data.alarms');
    expect(answer.data.alarms).toContainEqual(expect.objectContaining({ id: ids.alarm, state: 'triggered' }));
    expect(read.sensor[0].value_template).toContain(`'${ids.alarm}'`);
    expect(world.url).not.toBe('');
  });

  test('a panic button: its button fires', async () => {
    const { of, fired, ids, secret } = await aHouse();
    const file = parsed(RECIPES.ha(of('panic_button')).text, { tocsin_key: secret });
    const command = file.rest_command.tocsin_front_door;
    takesOnly(command, COMMAND);
    const [button] = file.template[0].button;
    takesOnly(button, ['name', 'unique_id', 'press']);
    expect(button.press).toEqual([{ action: 'rest_command.tocsin_front_door' }]);
    expect(await send({ url: command.url, method: 'GET', headers: command.headers })).toBe(202);
    expect(await fired()).toEqual([ids.panic_button]);
  });
});

test('a hostile name stays a name in every syntax', () => {
  const name = `"; $(touch /tmp/x) \`x\` {{ states }} {% raw %} #: - ' \\ </script>`;
  const of = { kind: 'alarm', id: 'a'.repeat(32), name, key: 'a-b', base: 'http://x', secret: null } as const;
  expect(parsed(RECIPES.ha(of).text).template[0].alarm_control_panel[0].name).not.toMatch(/[{}%]/);
  expect(parsed(RECIPES.esphome(of).text).binary_sensor[0].name).toContain('$(touch');
  expect(JSON.parse(RECIPES.homebridge(of).text).accessories[0].name).toContain('"; $(touch');
  expect(JSON.parse(RECIPES['node-red'](of).text)[0].label).toContain(name);
  const plain: RecipeName[] = ['curl', 'systemd', 'shelly', 'frigate', 'unifi', 'healthchecks', 'gatus', 'http'];
  for (const recipe of plain) expect(RECIPES[recipe](of).text, recipe).not.toContain('touch');
});
