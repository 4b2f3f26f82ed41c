import type { Words } from '../types.ts';

/** What a preview of an alert says, in German. */
export const words: Words['preview'] = {
  atOnce: 'Sofort',
  verdicts: {
    fires: policy =>
      policy === ''
        ? 'Ein Auslösen jetzt würde einen Vorfall öffnen.'
        : `Ein Auslösen jetzt würde dem Alarmplan „${policy}“ folgen.`,
    held_by_gate: policy =>
      `Unscharf, und alarmiert nur, wenn scharf: Ein Auslösen jetzt würde abgelehnt. Wenn scharf${policy === '' ? '' : `, gilt der Alarmplan „${policy}“`}:`,
    folds: () => 'Schon ausgelöst: Ein weiteres Auslösen wird gezählt, und niemand wird erneut verständigt.',
    mode_missing: () => 'Diesen Modus gibt es hier nicht: Ein Auslösen darin wird abgelehnt.',
    source_disabled: () => 'Abgeschaltet: Ein Auslösen wird abgelehnt, und niemand wird verständigt.',
  },
  inTest: 'Im Test: All das wird nur aufgezeichnet, und niemand wird verständigt.',
  window: span => `Fehlalarm-Frist: ${span} lang bricht ein Unscharfschalten ab.`,
  ends: 'Alle wurden verständigt. Danach folgt niemand mehr.',
  more: (moments, span) => `${moments} weitere Male, bis ${span} nach dem Auslösen.`,
  nobody: 'Niemand würde verständigt.',
  leftOut: count => `Der Plan verlangt ${count} Nachrichten mehr, als ein Vorfall sendet: Sie entfallen.`,
  insteadOf: (channel, named) => `${channel} statt ${named}`,
  outcomes: {
    no_carrier: 'nicht eingerichtet',
    plan_required: 'nicht im Tarif',
    not_verified: 'nicht bestätigt',
    no_address: 'keine Adresse',
    disabled: 'abgeschaltet',
  },
};
