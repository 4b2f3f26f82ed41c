import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { words, wordsOf } from '../words.ts';
import type { DutyEdit } from './edit.ts';
import { rulesOf } from './say.ts';

/** Shows what a duty says, in words. */
export function Rules({ of, people }: { of: DutyEdit; people: readonly Pick<Contact, 'id' | 'name'>[] }) {
  return (
    <ol class="card rows rules">
      {rulesOf(of, people).map(({ when, who, over }, at) => (
        <li key={at} class="thing">
          <div>
            <small>{when}</small>
            <span dir="auto">{who}</span>
            {over.length > 0 && (
              <small>
                {wordsOf('duties').over(over.map(channel => words().incident.channels[channel] ?? channel).join(', '))}
              </small>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
