import { useState } from 'preact/hooks';
import type { GetDeploymentResponse } from '../../../../gen/tocsin/console/v1/deployment_pb.ts';
import { Field } from '../../design/parts.tsx';
import { useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { Waiting } from '../parts/waiting.tsx';
import { READ_OF_CARRIERS } from '../rpc/rpc.ts';
import { deployment } from '../rpc/rpc-settings.ts';
import { words, wordsOf } from '../words.ts';
import { NotStored } from './not-stored.tsx';

/** Says where links in messages lead, and lets the operator set that. */
export function PublicUrlPart() {
  const found = useQuery('deployment', () => deployment.getDeployment({}, READ_OF_CARRIERS), '', 'slow');
  if (found.data === null) return <Waiting on={found} />;
  return <PublicUrlForm of={found.data} onChange={found.again} />;
}

function PublicUrlForm({ of, onChange }: { of: GetDeploymentResponse; onChange(): void }) {
  const { publicUrl, publicUrlSetIn, publicUrlVersion: version, networkUrls } = of;
  const say = wordsOf('operator').publicUrl;
  const [url, type] = useState(publicUrlSetIn === 'console' ? publicUrl : (networkUrls[0] ?? ''));
  const [problem, told] = useState<string | null>(null);
  const doing = useDoing();
  const save = async (publicUrl: string, storeAnyway = false) => {
    told(null);
    const result = await doing.run(async () => {
      const came = await deployment.setPublicUrl({ publicUrl, version, storeAnyway });
      if (came.outcome === 'stored') onChange();
      else told(came.problem);
    });
    if (result !== 'done' && result.kind === 'conflict') onChange();
  };
  return (
    <section class="stack" id="public-url">
      <h2>{say.title}</h2>
      <p>
        {say.leads} <bdi>{publicUrl === '' ? say.nowhere : publicUrl}</bdi>
      </p>
      {publicUrlSetIn === 'environment' ? (
        <p class="soft small">{wordsOf('operator').carriers.inEnvironment('PUBLIC_URL')}</p>
      ) : (
        <form
          class="card form"
          onSubmit={event => {
            event.preventDefault();
            void save(url);
          }}
        >
          <Field
            label={say.label}
            name="public_url"
            type="url"
            required
            value={url}
            onInput={typed => {
              told(null);
              type(typed);
            }}
            hint={say.hint}
            wrong={doing.wrong('public_url')}
          />
          <NotStored doing={doing} fields={['public_url']} problem={problem} storeAnyway={() => void save(url, true)} />
          <div class="choices">
            <button type="submit" class="button" disabled={doing.is === 'working'}>
              {wordsOf('operator').carriers.save}
            </button>
            {publicUrlSetIn === 'console' && (
              <button
                type="button"
                class="button quiet"
                disabled={doing.is === 'working'}
                onClick={() => void save('')}
              >
                {words().remove}
              </button>
            )}
            <span class="soft" role="status">
              {doing.is === 'working' && say.asking}
            </span>
          </div>
        </form>
      )}
    </section>
  );
}
