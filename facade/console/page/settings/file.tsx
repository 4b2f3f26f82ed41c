import { useRef, useState } from 'preact/hooks';
import type { ApplyProgress, ApplyResult, CheckResponse } from '../../../../gen/tocsin/console/v1/configuration_pb.ts';
import { Confirm, Field } from '../../design/parts.tsx';
import { useDraft } from '../forms/draft.ts';
import { Refused, useDoing } from '../forms/edit.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { download } from '../parts/download.ts';
import { may } from '../rpc/permissions.ts';
import { configuration } from '../rpc/rpc-settings.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { Changes, Findings } from './file-findings.tsx';

/** A whole account is read, compared and written in this time, in milliseconds; the door waits no longer either. */
const PATIENT = { timeoutMs: 10_000 };

/** Exports the account as one file, compares another one with it, and applies that. */
export function FilePart() {
  return (
    <>
      <Export />
      {may('configure') && <Import />}
    </>
  );
}

function Export() {
  const say = wordsOf('settings').file;
  const doing = useDoing();
  const save = () =>
    doing.run(async () => download('tocsin.yaml', (await configuration.export({}, PATIENT)).text, 'application/yaml'));
  return (
    <section class="stack">
      <h2>{say.export}</h2>
      <p class="soft">{say.exportText}</p>
      <Refused on={doing} />
      <div class="choices">
        <button type="button" class="button quiet" disabled={doing.is === 'working'} onClick={() => void save()}>
          {say.download}
        </button>
        <a href={addressOf('docs/config.schema.json')}>{say.schema}</a>
      </div>
    </section>
  );
}

/** What is sent to the services. Drafts hold no secrets. */
interface Given {
  text: string;
  prune: boolean;
  secrets: Readonly<Record<string, string>>;
}

/** The result of the comparison: exactly this is applied. */
interface Checked extends CheckResponse {
  given: Given;
}

const NO_FILE = { version: 0, text: '', prune: false };

function Import() {
  const say = wordsOf('settings').file;
  const editor = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(NO_FILE, 'file');
  const { text, prune } = draft.value;
  const [secrets, setSecrets] = useState<Given['secrets']>({});
  const [checked, setChecked] = useState<Checked | null>(null);
  /** Counts the changes: an answer that comes after one is of what is not there any more. */
  const edition = useRef(0);
  const [asking, ask] = useState(false);
  const [progress, setProgress] = useState<ApplyProgress | null>(null);
  const [result, setResult] = useState<ApplyResult | null>(null);
  const doing = useDoing();

  function change(changes: Partial<typeof NO_FILE>) {
    edition.current++;
    setChecked(null);
    setResult(null);
    draft.set(changes);
  }

  const check = () =>
    doing.run(async () => {
      setResult(null);
      const given = { text, prune, secrets };
      const asked = edition.current;
      const found = await configuration.check(given, PATIENT);
      if (asked === edition.current) setChecked({ ...found, given });
    });

  async function apply({ given }: Checked) {
    const done = await doing.run(async () => {
      for await (const { event } of configuration.apply(given)) {
        if (event.case === 'progress') setProgress(event.value);
        if (event.case !== 'result') continue;
        setResult(event.value);
        if (event.value.outcome !== 'refused') draft.end(draft.value);
      }
    });
    setProgress(null);
    ask(done !== 'done');
    if (done === 'done') setChecked(null);
  }

  /** Marks the line of a finding in the text. */
  function showLine(line: number) {
    const lines = text.split('\n');
    const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    editor.current?.focus();
    editor.current?.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
    const height = editor.current === null ? 0 : editor.current.scrollHeight / lines.length;
    editor.current?.scrollTo({ top: Math.max(0, (line - 4) * height) });
  }

  const canApply = checked !== null && checked.problems.length === 0 && checked.missingSecrets.length === 0;
  const deleted = checked?.changes.filter(({ action }) => action === 'delete').length ?? 0;
  return (
    <section class="stack">
      <h2>{say.import}</h2>
      <p class="soft">{say.importText}</p>
      <div class="card form">
        <label class="field">
          <span>{say.choose}</span>
          <input
            type="file"
            accept=".yaml,.yml,application/yaml"
            onChange={async event => {
              const [file] = event.currentTarget.files ?? [];
              if (file === undefined) return;
              const text = await file.text();
              change({ text });
            }}
          />
        </label>
        <label class="field">
          <span>{say.text}</span>
          <textarea
            ref={editor}
            name="file"
            rows={12}
            spellcheck={false}
            value={text}
            onInput={event => change({ text: event.currentTarget.value })}
          />
        </label>
        <label class="tick">
          <input
            type="checkbox"
            name="prune"
            checked={prune}
            onChange={event => change({ prune: event.currentTarget.checked })}
          />
          {say.prune}
        </label>
        {checked?.missingSecrets.map(name => (
          <Field
            key={name}
            label={say.secret(name)}
            name={name}
            type="password"
            value={secrets[name] ?? ''}
            onInput={value => {
              edition.current++;
              setSecrets(before => ({ ...before, [name]: value }));
            }}
          />
        ))}
        <Refused on={doing} />
        <div class="choices">
          <button
            type="button"
            class={canApply ? 'button quiet' : 'button'}
            disabled={text.trim() === '' || doing.is === 'working'}
            onClick={() => void check()}
          >
            {say.check}
          </button>
          {canApply && checked.changes.length > 0 && may('manage') && (
            <button type="button" class="button" onClick={() => ask(true)}>
              {say.apply}
            </button>
          )}
          {progress !== null && (
            <span class="soft" role="status">
              {say.progress(say.stages[progress.stage] ?? progress.stage, progress.done, progress.total)}
            </span>
          )}
        </div>
        {canApply && !may('manage') && <p class="soft small">{say.ownerApplies}</p>}
      </div>
      {checked !== null && <Findings of={checked.problems} missing={checked.missingSecrets} onLine={showLine} />}
      {canApply && <Changes of={checked.changes} total={checked.changes.length} title={say.would} />}
      {result !== null && result.outcome === 'refused' && (
        <Findings of={result.problems} missing={result.missingSecrets} onLine={showLine} />
      )}
      {result !== null && result.outcome !== 'refused' && (
        <Changes of={result.changes} total={result.total} title={say.outcomes[result.outcome] ?? result.outcome} />
      )}
      {result?.newSecrets.map(({ key, label, secret }) => (
        <ShownOnce
          key={key}
          title={say.newSecret(label)}
          text={say.newSecretText}
          secret={secret}
          done={say.noted}
          onDone={() => setResult({ ...result, newSecrets: result.newSecrets.filter(one => one.key !== key) })}
        />
      ))}
      {asking && checked !== null && (
        <Confirm
          title={say.confirm(checked.changes.length)}
          text={deleted === 0 ? say.confirmText : say.confirmDelete(deleted)}
          yes={say.apply}
          no={words().cancel}
          tone={deleted === 0 ? 'plain' : 'live'}
          wrong={doing.refusal?.message ?? null}
          working={doing.is === 'working'}
          onYes={() => void apply(checked)}
          onNo={() => ask(false)}
        />
      )}
    </section>
  );
}
