import { Choice, Field } from '../../design/parts.tsx';
import type { Doing } from '../forms/edit.tsx';
import { wordsOf } from '../words.ts';

interface Asked {
  responseKind: string;
  responseText: string;
}

/** Edits what help a panic button asks for; `other` in its owner's words, which are shown and spoken. */
export function Response({ of, set, doing }: { of: Asked; set(changes: Partial<Asked>): void; doing: Doing }) {
  const say = wordsOf('alarms');
  return (
    <>
      <Choice
        label={say.response}
        name="responseKind"
        value={of.responseKind}
        options={Object.entries(say.responses)}
        wrong={doing.wrong('responseKind')}
        onChoose={responseKind => set({ responseKind, ...(responseKind === 'other' ? {} : { responseText: '' }) })}
      />
      {of.responseKind === 'other' && (
        <Field
          label={say.responseText}
          name="responseText"
          value={of.responseText}
          required
          wrong={doing.wrong('responseText')}
          onInput={responseText => set({ responseText })}
        />
      )}
    </>
  );
}
