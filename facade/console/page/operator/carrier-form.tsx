import { useState } from 'preact/hooks';
import type { Carrier, SetCarrierResponse } from '../../../../gen/tocsin/console/v1/carriers_pb.ts';
import { useDraft } from '../forms/draft.ts';
import { useDoing } from '../forms/edit.tsx';
import { carriers } from '../rpc/rpc-settings.ts';
import { words, wordsOf } from '../words.ts';
import { editOf, passwordsMissing, type Secrets, settingsOf } from './carrier-edit.ts';
import { NotStored } from './not-stored.tsx';
import { SettingFields } from './setting-fields.tsx';

/** What the edit of a carrier is called, as in useDraft. */
export function carrierDraft({ name }: Pick<Carrier, 'name'>): string {
  return `carrier ${name}`;
}

interface CarrierFormOn {
  of: Carrier;
  onDone(carrier: Carrier | null): void;
  /** Somebody else changed it: what they stored is to be read. */
  onStale(): void;
}

/** Sets up a carrier: it is asked first, and shown in its own words if it refuses. `onDone`: with null if cancelled. */
export function CarrierForm({ of, onDone, onStale }: CarrierFormOn) {
  const say = wordsOf('operator').carriers;
  const draft = useDraft(editOf(of), carrierDraft(of));
  const [secrets, setSecrets] = useState<Secrets>({});
  const [answer, told] = useState<SetCarrierResponse | null>(null);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const doing = useDoing();
  const { value } = draft;
  const [usual, rare] = [
    of.settings.filter(one => one.asked !== 'rare'),
    of.settings.filter(one => one.asked === 'rare'),
  ];
  const fields = { of, value, secrets, missing, wrong: doing.wrong };
  const typed = {
    onType: (changes: Record<string, string>) => {
      told(null);
      draft.set(changes);
    },
    onSecret: (name: string, secret: string | null) => {
      told(null);
      setMissing([]);
      setSecrets(before => ({ ...before, [name]: secret }));
    },
  };

  async function save(storeAnyway: boolean) {
    const lacking = passwordsMissing(of, value, secrets);
    setMissing(lacking);
    if (lacking.length > 0) return;
    told(null);
    const result = await doing.run(async () => {
      const settings = settingsOf(of, value, secrets);
      const came = await carriers.setCarrier({ name: of.name, settings, version: value.version, storeAnyway });
      if (came.outcome !== 'stored') return told(came);
      draft.end(editOf(came.carrier!));
      onDone(came.carrier!);
    });
    if (result !== 'done' && result.kind === 'conflict') onStale();
  }

  return (
    <form
      class="form"
      onSubmit={event => {
        event.preventDefault();
        void save(false);
      }}
    >
      <p class="soft">{of.about}</p>
      <SettingFields {...fields} {...typed} settings={usual} />
      {rare.length > 0 && (
        <details>
          <summary>{say.more}</summary>
          <SettingFields {...fields} {...typed} settings={rare} />
        </details>
      )}
      <NotStored
        doing={doing}
        fields={of.settings.map(({ name }) => name)}
        problem={answer === null ? null : answer.problem}
        storeAnyway={() => void save(true)}
      >
        <b>{say.notAccepted}</b>
      </NotStored>
      <div class="choices">
        <button type="submit" class="button" disabled={doing.is === 'working'}>
          {say.save}
        </button>
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            draft.end();
            onDone(null);
          }}
        >
          {words().cancel}
        </button>
        <span class="soft" role="status">
          {doing.is === 'working' && say.asking}
        </span>
      </div>
    </form>
  );
}
