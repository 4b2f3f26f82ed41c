import { Icon, type IconName } from '../../design/icon.tsx';
import { Empty } from '../../design/parts.tsx';
import { may } from '../rpc/permissions.ts';
import { addressOf } from '../way/router.ts';
import { wordsOf } from '../words.ts';

const STEPS: readonly IconName[] = ['people', 'alarms', 'check'];

/** Shows where to begin while nothing is watched yet. */
export function Beginning() {
  const { title, text, steps, do: begin, others } = wordsOf('start').noSources;
  if (!may('configure')) {
    return (
      <section class="card">
        <Empty icon="alarms" title={title} text={others} />
      </section>
    );
  }
  return (
    <section class="card beginning">
      <h2>{title}</h2>
      <p class="soft">{text}</p>
      <ol>
        {steps.map((step, index) => (
          <li key={step.title}>
            <Icon name={STEPS[index] ?? 'check'} />
            <b>{step.title}</b>
            <span class="soft">{step.text}</span>
          </li>
        ))}
      </ol>
      <a class="button" href={addressOf('start')} data-screen>
        {begin}
      </a>
    </section>
  );
}
