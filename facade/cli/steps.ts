import type { Policy } from '../../gen/tocsin/console/v1/policies_pb.ts';
import { shown } from '../../services/process/text.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { usageFault } from './exit.ts';

/** A step as the services take it. */
export interface StepFields {
  delayS: number;
  contacts: { contactId: string; channels: string[] }[];
}

const FORM = 'Write for example --step "5m anna:email,text noah:call".';

/**
 * One `--step` such as `5m anna:email,text noah:call`: when (after the step before it), then whom and how. Throws a usage
 * fault for what it cannot read; which contacts and channels exist is for the services to say.
 */
export function parseStep(text: string): StepFields {
  const [delay = '', ...people] = text.split(/\s+/).filter(word => word !== '');
  const delayS = parseDuration(delay, '--step, at its beginning,');
  if (people.length === 0) throw usageFault(`--step names at least one contact, got ${shown(text)}. ${FORM}`);
  const contacts = people.map(person => {
    const [contactId = '', channels = ''] = person.split(/:(.*)/s);
    if (contactId === '' || channels === '') {
      throw usageFault(`--step names a contact and its channels, got ${shown(person)}. ${FORM}`);
    }
    return { contactId, channels: channels.split(',') };
  });
  return { delayS, contacts };
}

/** The steps and rounds of a policy in lines; `name` gives what a contact is called. */
export function stepLines({ steps, repeat, repeatDelayS }: Policy, name: (id: string) => string): string[] {
  const lines = steps.map(({ delayS, contacts }, index) => {
    const people = contacts.map(({ contactId, channels }) => `${name(contactId)} by ${channels.join(', ')}`).join('; ');
    return `  ${index === 0 ? 'after' : 'then after'} ${formatDuration(delayS)}: ${people}`;
  });
  if (repeat === 0) return lines;
  return [...lines, `  again ${repeat === 1 ? 'once' : `${repeat} times`}, each ${formatDuration(repeatDelayS)} later`];
}
