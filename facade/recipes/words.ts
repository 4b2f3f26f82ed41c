/** For what each recipe is. */
export const names: Record<string, string> = {
  curl: 'curl: any shell or script',
  ha: 'Home Assistant',
  frigate: 'Frigate, through frigate-notify',
  unifi: 'UniFi Protect',
  'node-red': 'Node-RED',
  esphome: 'ESPHome',
  shelly: 'Shelly script',
  homebridge: 'Homebridge',
  systemd: 'systemd: when a unit fails',
  healthchecks: 'Healthchecks',
  gatus: 'Gatus',
  http: 'Anything that sends a GET with a header',
};

/** What to do with each text. */
export const how: Record<string, string> = {
  curl: 'Paste it. An answer of 202 means that it is accepted.',
  ha: 'Save it as this file, put the key into secrets.yaml, and restart Home Assistant.',
  frigate: 'Merge it into the file, and restart frigate-notify. It fires for persons.',
  unifi: 'Fill in the form with these. Motion alarms are sent when the motion ends; a crossed line fires at once.',
  'node-red': 'Import the flow, deploy it, and wire whatever should fire to the request.',
  esphome: 'Add it to the file of the board, choose the pin, and put the key into secrets.yaml.',
  shelly: 'Paste it as a script of a Shelly of the second generation or later.',
  homebridge: 'Install the plugin homebridge-http-switch, and merge this into the file.',
  systemd: 'Save the unit, put the key into /etc/tocsin.env, and name the unit in OnFailure= of others.',
  healthchecks: 'Fill in the form with these, and switch the integration on for the checks that should alert.',
  gatus: 'Merge it into the file, and name the alert in each endpoint.',
  http: 'Fill in what it asks for. An answer of 202 means that it is accepted.',
};

/** What the key of each is proposed to be called: the device that calls. */
export const devices: Record<string, string> = {
  curl: 'Script',
  ha: 'Home Assistant',
  frigate: 'Camera',
  unifi: 'Camera',
  'node-red': 'Node-RED',
  esphome: 'Sensor',
  shelly: 'Shelly',
  homebridge: 'Home app',
  systemd: 'Server',
  healthchecks: 'Healthchecks',
  gatus: 'Gatus',
  http: 'Device',
};

/** Stands below a text in which no key is. */
export const keyMissing = 'Replace toc_PUT_YOUR_KEY_HERE with an API key. Keys are shown once, when they are made.';
