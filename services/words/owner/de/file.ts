import type { SyntaxFault } from '../types.ts';
import type { OwnerWords } from '../words.ts';
import { accepts } from './accepts.ts';
import { THINGS } from './things.ts';

const { mismatch } = accepts;
const A_REFERENCE = 'einen Verweis auf ein Geheimnis, { env: NAME } oder { file: Pfad }';
const NO_TAG = 'erwartet einfache Werte ohne Tag.';

const SYNTAX: Readonly<Record<SyntaxFault, string>> = {
  ALIAS_PROPS: 'Ein Alias (*) kann weder Anker noch Tag haben.',
  BAD_ALIAS: 'Der Name eines Alias (*) oder Ankers (&) ist unvollständig.',
  BAD_COLLECTION_TYPE: NO_TAG,
  BAD_DIRECTIVE: 'Zeilen, die mit % beginnen, sind hier nicht erlaubt.',
  BAD_DQ_ESCAPE: 'In den Anführungszeichen steht hinter \\ etwas, das es nicht gibt.',
  BAD_INDENT: 'Die Einrückung passt nicht zu den Zeilen davor.',
  BAD_PROP_ORDER: 'Anker und Tags gehören vor den Wert.',
  BAD_SCALAR_START: 'Ein Wert kann so nicht beginnen: Setzen Sie ihn in Anführungszeichen.',
  BLOCK_AS_IMPLICIT_KEY: 'Vor dem Doppelpunkt steht etwas, das mehrere Zeilen hat.',
  BLOCK_IN_FLOW: 'In Klammern gehört alles in Klammern oder in eine Zeile.',
  DUPLICATE_KEY: 'Ein Feld steht zweimal da.',
  IMPOSSIBLE: 'Das lässt sich nicht lesen.',
  KEY_OVER_1024_CHARS: 'Ein Feldname ist länger als 1024 Zeichen.',
  MISSING_CHAR: 'Es fehlt ein Zeichen: eine Klammer, ein Komma, ein Doppelpunkt oder Anführungszeichen.',
  MULTILINE_IMPLICIT_KEY: 'Ein Feldname gehört in eine Zeile.',
  MULTIPLE_ANCHORS: 'Ein Wert kann nur einen Anker (&) haben.',
  MULTIPLE_DOCS: mismatch('ein Dokument', 'ein zweites hinter ---'),
  MULTIPLE_TAGS: 'Ein Wert kann nur ein Tag haben.',
  NON_STRING_KEY: 'Ein Feldname muss Text sein.',
  RESOURCE_EXHAUSTION: 'Die Datei ist zu verschachtelt, um gelesen zu werden.',
  TAB_AS_INDENT: 'Eingerückt wird mit Leerzeichen, nicht mit Tabulatoren.',
  TAG_RESOLVE_FAILED: NO_TAG,
  UNEXPECTED_TOKEN: 'Hier steht etwas, das nicht hierher gehört.',
};

/** German. */
export const file: OwnerWords['file'] = {
  head: `# Die Konfiguration eines Kontos. \`tocsin config check\` prüft sie, \`tocsin config apply\` wendet sie an.
# Sie enthält Adressen von Menschen. Geheimnisse von API-Schlüsseln stehen nicht darin: Ein Schlüssel, der daraus entsteht,
# bekommt ein neues, außer er nennt { env: NAME } oder { file: Pfad } als sein Geheimnis.
`,
  kinds: { map: 'eine Gruppe von Feldern', list: 'eine Liste', single: 'ein einzelner Wert' },
  aMap: fields => (fields.length === 0 ? 'eine Gruppe von Feldern' : `eine Gruppe der Felder ${fields.join(', ')}`),
  somethingElse: 'etwas anderes',
  elseFrom: reference => `etwas anderes aus ${reference}`,
  aText: 'einen Text',
  aWholeNumber: 'eine ganze Zahl',
  version: 'die Version dieses Formats',
  unknownSection: known => `ist kein bekanntes Feld: Es gibt ${known.join(', ')}.`,
  unknownField: (known, name) => `ist kein bekanntes Feld: ${mismatch(known.join(', '), name)}`,
  keyOnce: (key, line) =>
    mismatch('jeden Schlüssel einmal', accepts.aSecondTime(key), `Der erste steht in Zeile ${line}`),
  fieldOnce: mismatch('jedes Feld einmal', 'es ein zweites Mal'),
  nameBeforeColon: mismatch('einen Namen vor dem Doppelpunkt', 'etwas anderes'),
  noMergeKeys: 'erwartet kein <<, das YAML 1.2 nicht kennt: Schreiben Sie die Felder aus.',
  keyOf: (thing, prune) =>
    `den Schlüssel ${THINGS[thing].one} ${prune === 'keep' ? 'aus dieser Datei oder diesem Konto' : 'aus dieser Datei (was sie nicht nennt, wird gelöscht)'}`,

  aReference: A_REFERENCE,
  neverTheSecret: `erwartet ${A_REFERENCE}, nie das Geheimnis selbst.`,
  fields: count => (count === 1 ? '1 Feld' : `${count} Felder`),
  sources: { env: 'den Namen einer Umgebungsvariablen', file: 'den Pfad einer Datei' },
  secretNamed: reference => `das Geheimnis, das ${reference} nennt`,
  apiKeySecret: 'einen API-Schlüssel, wie Tocsin sie macht: „toc_“ und 36 Buchstaben und Ziffern mit ihrer Prüfsumme',
  secretHad: reference =>
    mismatch(
      'ein Geheimnis, das noch kein API-Schlüssel hatte',
      `eines aus ${reference}, das schon einer hat oder hatte`,
    ),
  secretGuessable: reference =>
    `${mismatch('einen API-Schlüssel, dessen 30 Zeichen hinter „toc_“ zufällig sind: große und kleine Buchstaben und Ziffern', `einer aus ${reference}, der sich erraten lässt`)} Lassen Sie das Geheimnis weg: Dann wird ein zufälliges gemacht und einmal gezeigt.`,
  reachIsFixed:
    'lässt sich nicht ändern: Was ein Schlüssel erreicht, steht fest. Erstellen Sie hier einen anderen, unter anderem Namen.',

  tooLarge: (most, got) => `Eine Datei darf höchstens ${most} MB haben, diese hat ${got} MB: Teilen Sie sie.`,
  tooSlow: s => unreadable(`in ${s} Sekunden`),
  tooMuchMemory: megabytes => unreadable(`in ${megabytes} MB Speicher`),
  tooDeep: most => mismatch(`Listen und Gruppen höchstens ${most}-mal ineinander`, 'mehr'),
  empty: mismatch('eine Konfiguration, die mit version: 1 beginnt', 'nichts'),
  noDirectives: mismatch('keine Anweisungen', 'eine Zeile, die mit % beginnt'),
  controlCharacter: code => mismatch('Text ohne Steuerzeichen', code),
  noTag: NO_TAG,
  unknownAlias: name => `Den Alias *${name} gibt es nicht: Weiter oben steht kein &${name}.`,
  ownAlias: name => mismatch('keinen Alias von etwas, in dem er selbst steht', `*${name}`),
  tooManyAliased: most => mismatch(`Aliase, die zusammen für höchstens ${most} Werte stehen`, 'mehr'),
  syntax: fault => SYNTAX[fault],
};

function unreadable(within: string): string {
  return mismatch(
    `eine Datei, die sich ${within} lesen lässt`,
    'eine andere',
    'Teilen Sie sie, oder kürzen Sie, was sich wiederholt',
  );
}
