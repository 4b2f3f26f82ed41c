/** The parts of a log line besides its fields. */
interface Line {
  level: number;
  time: number;
  msg?: string;
  /** `schema` is for readers of logs, not for a person at a terminal. */
  part?: string;
  err?: { message?: string; stack?: string };
}

/** The levels of pino that are named; lower ones are shown without a name. */
const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };

/** Creates a destination for pino that writes plain lines for people, without the migrations of a first start. */
export function terminalLines(write: (text: string) => void): { write(json: string): void } {
  return {
    write(json) {
      const line = JSON.parse(json) as Line & Record<string, unknown>;
      if (line.part !== 'schema' || line.level > 30) write(`${textOf(line)}\n`);
    },
  };
}

function textOf({
  level,
  time,
  msg = '',
  part: _,
  err,
  pid: __,
  hostname: ___,
  ...fields
}: Line & Record<string, unknown>) {
  const said = Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const fault = err === undefined ? [] : [level >= 50 ? (err.stack ?? '') : (err.message ?? '')];
  const words = [msg, ...(said.length === 0 ? [] : [`(${said.join(', ')})`])].join(' ');
  return `${new Date(time).toTimeString().slice(0, 8)} ${LEVELS[level] ?? ''}${[words, ...fault].join('\n')}`;
}
