import { quote, type RecipeFor, type RecipeText, secretOf, slugOf, triggerUrl } from './recipe.ts';

/** A contact of an ESP board; ESPHome 2025.5 and later, where headers are called request_headers. */
export function esphome(of: RecipeFor): RecipeText {
  return {
    file: `${of.key}.yaml`,
    text: `# secrets.yaml:  tocsin_key: ${secretOf(of)}
http_request:
  timeout: 10s
  # Boards other than the ESP32 check no certificates: they take verify_ssl: false.
  verify_ssl: true

binary_sensor:
  - platform: gpio
    name: ${quote(of.name)}
    id: tocsin_${slugOf(of)}
    pin:
      number: GPIO4
      mode: INPUT_PULLUP
      inverted: true
    filters:
      - delayed_on: 50ms
    on_press:
      then:
        - http_request.get:
            url: ${triggerUrl(of)}
            request_headers:
              X-API-Key: !secret tocsin_key
`,
  };
}

/** A script of a Shelly of the second generation and later: its webhooks set no headers, scripts do. */
export function shelly(of: RecipeFor): RecipeText {
  return {
    file: 'Shelly > Scripts > Add script, then switch on "Run on startup"',
    text: `let KEY = "${secretOf(of)}";
let URL = "${triggerUrl(of)}";

function fire(tries) {
  let request = { method: "GET", url: URL, headers: { "X-API-Key": KEY }, timeout: 10 };
  Shelly.call("HTTP.Request", request, function (answer, fault, message) {
    let again = fault !== 0 || answer.code >= 500 || answer.code === 429;
    print("Tocsin", fault === 0 ? answer.code : message);
    if (again && tries > 1) Timer.set(2000, false, function () { fire(tries - 1); });
  });
}

// Fires when input 0 goes on; other inputs and events are left alone.
Shelly.addStatusHandler(function (status) {
  if (status.component === "input:0" && status.delta.state === true) fire(5);
});
`,
  };
}

/** A switch in the Home app, with the plugin homebridge-http-switch: it goes back by itself. */
export function homebridge(of: RecipeFor): RecipeText {
  const accessory = {
    accessory: 'HTTP-SWITCH',
    name: JSON.parse(quote(of.name)) as string,
    switchType: 'stateless',
    onUrl: { url: triggerUrl(of), method: 'GET', headers: { 'X-API-Key': secretOf(of) }, requestTimeout: 10_000 },
  };
  return { file: 'config.json of Homebridge', text: `${JSON.stringify({ accessories: [accessory] }, null, 2)}\n` };
}
