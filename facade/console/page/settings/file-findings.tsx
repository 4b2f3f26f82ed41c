import { useEffect, useRef } from 'preact/hooks';
import type { PlannedChange, Problem } from '../../../../gen/tocsin/console/v1/configuration_pb.ts';
import { Chip, Empty, type Tone } from '../../design/parts.tsx';
import { sentence } from '../forms/edit.tsx';
import { nameOfField, SECTIONS_OF_FILE } from '../forms/field-names.ts';
import { differenceOfFile, pathOf } from '../parts/differences.ts';
import { Differing } from '../parts/differing.tsx';
import { allWords, wordsOf } from '../words.ts';

/** Returns the label of a field in a file, such as `alarms[1].name`. Empty if it has none. */
function nameInFile(field: string): string {
  const [section = '', ...way] = pathOf(differenceOfFile({ field, before: '', after: '' }).way).split('.');
  return nameOfField(allWords(), SECTIONS_OF_FILE[section] ?? section, way.join('.')) ?? '';
}

/** Scrolls to the result, which stands below a long file. */
function useSeen() {
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => part.current?.scrollIntoView({ block: 'nearest' }), []);
  return part;
}

/** What is wrong in a file, line by line. */
export function Findings(props: { of: readonly Problem[]; missing: readonly string[]; onLine(line: number): void }) {
  const say = wordsOf('settings').file;
  const part = useSeen();
  if (props.of.length === 0)
    return props.missing.length === 0 ? null : <p class="notice">{say.missing(props.missing.length)}</p>;
  return (
    <div class="stack" role="status" ref={part}>
      <h3>{say.findings(props.of.length)}</h3>
      <ul class="card rows">
        {props.of.map(({ line, field, problem, didYouMean }) => (
          <li key={`${line} ${field} ${problem}`} class="row long finding-of-file">
            <div>
              <b>{nameInFile(field)}</b> <code dir="auto">{field}</code>
              <p dir="auto">{sentence(problem)}</p>
              {didYouMean !== '' && <small dir="auto">{say.didYouMean(didYouMean)}</small>}
            </div>
            {line > 0 && (
              <button type="button" class="button bare" onClick={() => props.onLine(line)}>
                {say.line(line)}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Files name things by their keys, which people can read. */
const NONE_KNOWN = new Map<string, string>();

const TONES: Readonly<Record<string, Tone>> = { create: 'good', update: 'test', delete: 'warn' };

/** What a file would change, or has changed. */
export function Changes({ of, total, title }: { of: readonly PlannedChange[]; total: number; title: string }) {
  const say = wordsOf('settings').file;
  const part = useSeen();
  return (
    <div class="stack" role="status" ref={part}>
      <h3>{title}</h3>
      <ul class="card rows">
        {of.map(({ action, kind, key, name, fields }) => (
          <li key={`${kind} ${key}`} class="row">
            <div>
              <b dir="auto">{name === '' ? key : name}</b> <span class="soft small">{say.kinds[kind] ?? kind}</span>
              {fields.length > 0 && (
                <ul class="differences">
                  {fields.map(one => (
                    <Differing
                      key={one.field}
                      thing={kind}
                      of={differenceOfFile(one)}
                      known={NONE_KNOWN}
                      inFile={one.field}
                    />
                  ))}
                </ul>
              )}
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
