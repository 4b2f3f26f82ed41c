import type { Finding } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import { Chip, type Tone } from '../../design/parts.tsx';
import { isOperator } from '../rpc/permissions.ts';
import { focusAddressed } from '../way/focus.ts';
import { addressOf } from '../way/router.ts';
import { words } from '../words.ts';
import { fixOf } from './fixes.ts';

const TONES: Readonly<Record<string, Tone>> = { blocks: 'live', warns: 'warn' };

/**
 * Lists findings, each with a button that leads to the field that mends it. One finding in several modes of a source is
 * listed once. `of`: of which sources they are, so that each is named or not.
 */
export function FindingList({ findings, of, most }: { findings: readonly Finding[]; of: 'one' | 'all'; most: number }) {
  const groups = groupsOf(findings);
  return (
    <>
      <ul class="rows">
        {groups.slice(0, most).map(([key, [first, ...others]]) => (
          <Row key={key} of={first!} others={others.length} named={of === 'all'} />
        ))}
      </ul>
      {groups.length > most && (
        <p class="finding small">
          <a href={addressOf('alarms')} data-screen>
            {words().home.more(groups.length - most)}
          </a>
        </p>
      )}
    </>
  );
}

/** Returns findings by what is listed once. */
export function groupsOf(findings: readonly Finding[]) {
  return [...Map.groupBy(findings, ({ sourceId, code, policyId }) => `${sourceId} ${code} ${policyId}`)];
}

function Row({ of, others, named }: { of: Finding; others: number; named: boolean }) {
  const say = words().findings;
  const [title, mend] = say.of[of.code] ?? [of.code, ''];
  const mode = of.mode === '' || others > 0 ? '' : say.inMode(words().modes[of.mode] ?? of.mode);
  const screen = fixOf(of, isOperator() ? 'operator' : 'anybody');
  // What is about the account has no source to be named after.
  const name = named ? of.sourceName : '';
  return (
    <li class="finding">
      <div class="head">
        <b dir="auto">{name === '' ? `${title}${mode}` : name}</b>
        <Chip tone={TONES[of.severity] ?? 'off'}>{words().severity[of.severity]}</Chip>
      </div>
      {name !== '' && (
        <p>
          {of.locationName !== '' && (
            <>
              <bdi>{of.locationName}</bdi> ·{' '}
            </>
          )}
          {title}
          {mode}
        </p>
      )}
      <p class="soft small" dir="auto">
        {of.problem} {others > 0 && say.moreModes(others)}
      </p>
      {screen !== undefined && (
        <a
          class="button quiet mend"
          href={addressOf(screen)}
          data-screen
          aria-label={name === '' ? mend : `${mend}: ${name}`}
          // It may lead to where one is: then no screen is new.
          onClick={() => requestAnimationFrame(focusAddressed)}
        >
          {mend}
        </a>
      )}
    </li>
  );
}
