/** What a line of the log has besides its fields. */
interface Line {
  level: number;
  time: number;
  msg?: string;
  /** `schema`: of interest to whoever reads logs, not to a person at a terminal. */
  part?: string;
  err?: { message?: string; stack?: string };
}

/** The levels of pino whose name is said; what is below is said without. */
const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };

/** A destination for pino that writes for people: no JSON, and nothing of the migrations of a first start. */
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
