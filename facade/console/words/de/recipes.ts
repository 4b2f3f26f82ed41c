import type { Words } from '../types.ts';

/** What stands around the recipes, in German. */
export const words: Words['recipes'] = {
  title: 'Verbinden',
  lead: 'Fertig zum Einfügen: Id und Adresse sind die echten.',
  for: 'Für',
  into: 'Gehört in:',
  names: {
    curl: 'curl: jedes Terminal, jedes Skript',
    ha: 'Home Assistant',
    frigate: 'Frigate, über frigate-notify',
    unifi: 'UniFi Protect',
    'node-red': 'Node-RED',
    esphome: 'ESPHome',
    shelly: 'Shelly-Skript',
    homebridge: 'Homebridge',
    systemd: 'systemd: wenn eine Unit scheitert',
  },
  how: {
    curl: 'Einfügen. Eine Antwort 202 heißt: angenommen.',
    ha: 'Als diese Datei speichern, den Schlüssel in secrets.yaml eintragen, Home Assistant neu starten.',
    frigate: 'In die Datei einfügen und frigate-notify neu starten. Löst bei Personen aus.',
    unifi: 'Das Formular damit ausfüllen. Bewegung wird gemeldet, wenn sie endet; eine überquerte Linie sofort.',
    'node-red': 'Den Flow importieren, übernehmen, und mit der Anfrage verbinden, was auslösen soll.',
    esphome: 'In die Datei des Boards einfügen, den Pin wählen, den Schlüssel in secrets.yaml eintragen.',
    shelly: 'Als Skript eines Shelly der zweiten Generation oder später einfügen.',
    homebridge: 'Das Plugin homebridge-http-switch installieren und dies in die Datei einfügen.',
    systemd: 'Die Unit speichern, den Schlüssel in /etc/tocsin.env eintragen, sie in OnFailure= anderer nennen.',
  },
  keyMissing: 'An die Stelle von toc_PUT_YOUR_KEY_HERE gehört ein API-Schlüssel. Er wird nur einmal gezeigt.',
  createKey: 'Einen Schlüssel dafür erstellen',
  createKeyAlarm: 'Er erreicht nur diesen Alarm.',
  createKeyAll: 'Er erreicht alles in diesem Konto: Schlüssel nur für einen Notrufknopf gibt es nicht.',
  keyLabel: name => `Für ${name}`,
  keyShown: 'Der Schlüssel steht im Text, jetzt und nie wieder: Kopieren Sie ihn, bevor Sie weitergehen.',
  keyDone: 'Ich habe ihn kopiert',
};
