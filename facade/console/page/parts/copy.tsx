import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../../design/icon.tsx';
import { words } from '../words.ts';

/** Copies a text. Over plain http browsers do not let pages copy: there it is selected, to be copied by hand. */
export function Copy({ text, of }: { text: string; of: string }) {
  const [is, now] = useState<'idle' | 'copied'>('idle');
  async function copy(event: Event) {
    const shown = (event.currentTarget as Element).parentElement!.querySelector('code, textarea');
    try {
      await navigator.clipboard.writeText(text);
      now('copied');
    } catch {
      if (shown instanceof HTMLTextAreaElement) shown.select();
      else if (shown !== null) getSelection()?.selectAllChildren(shown);
    }
  }
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={`${words().copy}: ${of}`}
      onClick={event => void copy(event)}
    >
      {is === 'copied' ? words().copied : words().copy}
    </button>
  );
}

/** A line to be copied. `of`: what it is, for those who cannot see where it stands. */
export function Copying({ text, of }: { text: string; of: string }) {
  return (
    <div class="copying">
      <code>{text}</code>
      <Copy text={text} of={of} />
    </div>
  );
}

/** Shows a secret that cannot be shown again; it leaves the page once its reader says so or goes to another screen. */
export function ShownOnce(props: {
  title: string;
  text: string;
  secret: string;
  /** What the secret is, where the title does not say it. */
  of?: string;
  /** A line that tries it. */
  trial?: { text: string; line: string; of: string };
  /** What is shown along with it. */
  children?: ComponentChildren;
  done: string;
  onDone(): void;
}) {
  const { trial } = props;
  return (
    <div class="card secret" role="status">
      <h2 dir="auto">
        <Icon name="keys" /> {props.title}
      </h2>
      <p class="soft">{props.text}</p>
      <Copying text={props.secret} of={props.of ?? props.title} />
      {trial !== undefined && (
        <>
          <p class="soft small">{trial.text}</p>
          <Copying text={trial.line} of={trial.of} />
        </>
      )}
      {props.children}
      <button type="button" class="button" onClick={props.onDone}>
        {props.done}
      </button>
    </div>
  );
}
