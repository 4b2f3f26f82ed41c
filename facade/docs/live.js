import { createClient } from './client/client.js';

/** @type {(id: string) => any} */
const element = id => document.getElementById(id);

let watch = null;
let states = [];
let names = new Map();

element('form').addEventListener('submit', event => {
  event.preventDefault();
  watch?.close();
  [states, names] = [[], new Map()];
  show();
  say('Connecting …');
  follow(element('key').value.trim());
});

function follow(key) {
  try {
    watch = createClient({ url: new URL('..', import.meta.url).href, key }).watch({
      onInventory({ locations }) {
        const alarms = locations.flatMap(({ name: place, alarms }) =>
          alarms.map(({ id, name }) => [id, { name, place }]),
        );
        names = new Map(alarms);
        show();
      },
      onState({ alarms }) {
        states = alarms;
        show();
      },
      onLink: (status, why) => say(status === 'up' ? 'Live.' : `Not live, read every minute. ${why}`),
      onProblem: ({ message }) => say(`Not up to date: ${message}`),
      onStop: ({ message }) => say(`Ended: ${message}`),
    });
  } catch (error) {
    say(`Not following: ${error.message}`);
  }
}

function show() {
  const rows = states.map(({ id, state }) => {
    const { name = id, place = '' } = names.get(id) ?? {};
    const row = document.createElement('tr');
    for (const text of [name, place, state]) row.insertCell().textContent = text;
    return row;
  });
  element('alarms').replaceChildren(...rows);
}

function say(text) {
  element('link').textContent = text;
}
