import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ListProofsResponse, Proof } from '../../../../gen/tocsin/console/v1/drills_pb.ts';
import { proofsCsv } from '../../../recipes/proofs-csv.ts';
import { Choice, Empty } from '../../design/parts.tsx';
import { Wide } from '../../design/wide.tsx';
import { useQuery } from '../live/use-query.ts';
import { READ } from '../rpc/rpc.ts';
import { drills } from '../rpc/rpc-people.ts';
import { monthOf } from '../settings/units.ts';
import { filter, query } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { download } from './download.ts';
import { Time } from './time.tsx';
import { Waiting } from './waiting.tsx';

/** How many months can be chosen. */
const MONTHS = 24;

/** The report of one month: who was asked to answer, over what, and how soon they did. It fits on paper. */
export function Proofs() {
  const say = wordsOf('notices').proofs;
  const month = query.value.get('month') ?? '';
  const found = useQuery(`proofs ${month}`, async () => drills.listProofs({ month }, READ), '', 'slow');
  if (found.data === null) return <Waiting on={found} />;
  const report = found.data;
  return (
    <section class="report">
      <div class="filters">
        <Choice
          label={say.month}
          value={report.month}
          options={monthsUpTo(report.month).map(one => [one, monthOf(one)])}
          onChoose={one => filter({ month: one })}
        />
        {report.proofs.length > 0 && (
          <div class="do">
            <button type="button" class="button quiet" onClick={() => window.print()}>
              {say.print}
            </button>
            <button type="button" class="button quiet" onClick={() => save(report)}>
              {say.csv}
            </button>
          </div>
        )}
      </div>
      {report.proofs.length === 0 ? (
        <div class="card">
          <Empty icon="check" title={say.none.title} text={say.none.text} />
        </div>
      ) : (
        <Table of={report} />
      )}
    </section>
  );
}

function Table({ of }: { of: ListProofsResponse }) {
  const say = wordsOf('notices').proofs;
  return (
    <>
      <Wide label={monthOf(of.month)}>
        <table class="figures narrow">
          <caption>{monthOf(of.month)}</caption>
          <thead>
            <tr>
              <th scope="col">{say.who}</th>
              <th scope="col">{say.channel}</th>
              <th scope="col">{say.asked}</th>
              <th scope="col">{say.result}</th>
              <th scope="col">{say.seconds}</th>
            </tr>
          </thead>
          <tbody>
            {of.proofs.map(proof => (
              <Row key={String(proof.number)} of={proof} />
            ))}
          </tbody>
        </table>
      </Wide>
      <p class={of.chain === 'whole' ? 'soft small' : 'notice'}>
        {of.chain === 'whole' ? say.whole : say.broken}
        {of.more && ` ${say.more}`}
      </p>
      <p class="soft small chain">
        {say.last} <code>{of.proofs.at(-1)?.digest}</code>
      </p>
    </>
  );
}

function Row({ of: { contactName, channel, askedAt, kind, occasion, afterS } }: { of: Proof }) {
  const say = wordsOf('notices').proofs;
  return (
    <tr>
      <th scope="row" dir="auto">
        {contactName}
      </th>
      <td data-label={say.channel}>{words().incident.channels[channel] ?? channel}</td>
      <td data-label={say.asked} class="whole">
        <Time at={askedAt} />
      </td>
      <td data-label={say.result} class="whole">
        {say.kinds[`${occasion} ${kind}`] ?? kind}
      </td>
      <td data-label={say.seconds}>{kind === 'answered' ? afterS : ''}</td>
    </tr>
  );
}

function monthsUpTo(shown: string): string[] {
  const now = new Date();
  const months = Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 'YYYY-MM'.length),
  );
  return months.includes(shown) ? months : [shown, ...months];
}

function save({ month, proofs }: ListProofsResponse): void {
  const iso = (at: Proof['at']) => (at === undefined ? '' : timestampDate(at).toISOString());
  const lines = proofs.map(one => ({ ...one, number: String(one.number), at: iso(one.at), askedAt: iso(one.askedAt) }));
  download(`tocsin-proofs-${month}.csv`, proofsCsv(lines), 'text/csv');
}
