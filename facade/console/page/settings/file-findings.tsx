import type { PlannedChange, Problem } from '../../../../gen/tocsin/console/v1/configuration_pb.ts';
import { Chip, Empty, type Tone } from '../../design/parts.tsx';
import { wordsOf } from '../words.ts';

/** What is wrong in a file, line by line. */
export function Findings(on: { of: readonly Problem[]; missing: readonly string[]; onLine(line: number): void }) {
  const say = wordsOf('settings').file;
  if (on.of.length === 0)
    return on.missing.length === 0 ? null : <p class="notice">{say.missing(on.missing.length)}</p>;
  return (
    <div class="stack" role="status">
      <h3>{say.findings(on.of.length)}</h3>
      <ul class="card rows">
        {on.of.map(({ line, field, problem, didYouMean }) => (
          <li key={`${line} ${field} ${problem}`} class="row finding-of-file">
            <div>
              <code dir="auto">{field}</code>
              <p dir="auto">{problem}</p>
              {didYouMean !== '' && <small dir="auto">{say.didYouMean(didYouMean)}</small>}
            </div>
            {line > 0 && (
              <button type="button" class="button bare" onClick={() => on.onLine(line)}>
                {say.line(line)}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const TONES: Readonly<Record<string, Tone>> = { create: 'good', update: 'test', delete: 'warn' };

/** What a file would change, or has changed. */
export function Changes({ of, total, title }: { of: readonly PlannedChange[]; total: number; title: string }) {
  const say = wordsOf('settings').file;
  return (
    <div class="stack" role="status">
      <h3>{title}</h3>
      <ul class="card rows">
        {of.map(({ action, kind, key, name, fields }) => (
          <li key={`${kind} ${key}`} class="row">
            <div>
              <b dir="auto">{name === '' ? key : name}</b> <span class="soft small">{say.kinds[kind] ?? kind}</span>
              {fields.map(({ field, before, after }) => (
                <small key={field} dir="auto">
                  <code>{field}</code>: <del>{before === '' ? '–' : before}</del> →{' '}
                  <ins>{after === '' ? '–' : after}</ins>
                </small>
              ))}
            </div>
            <Chip tone={TONES[action] ?? 'off'}>{say.actions[action] ?? action}</Chip>
          </li>
        ))}
        {of.length === 0 && (
          <li>
            <Empty icon="check" title={say.nothing.title} text={say.nothing.text} />
          </li>
        )}
        {total > of.length && <li class="row soft">{say.more(total - of.length)}</li>}
      </ul>
    </div>
  );
}
