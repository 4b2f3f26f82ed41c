import { Choice } from '../../design/parts.tsx';
import { words, wordsOf } from '../words.ts';

/** Asks what an incident was, and takes no answer for one. */
export function Disposition({ of, onChoose }: { of: string; onChoose(disposition: string): void }) {
  const say = wordsOf('goingOn');
  const options = [['', say.notSaid] as const, ...Object.entries(words().incident.dispositions)];
  return <Choice label={say.whatItWas} name="disposition" value={of} options={options} onChoose={onChoose} />;
}
