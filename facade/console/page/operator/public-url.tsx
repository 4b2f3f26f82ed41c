import { useState } from 'preact/hooks';
import type { GetDeploymentResponse } from '../../../../gen/tocsin/console/v1/deployment_pb.ts';
import { Field } from '../../design/parts.tsx';
import { Refused, useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { Waiting } from '../parts/waiting.tsx';
import { READ_OF_CARRIERS } from '../rpc/rpc.ts';
import { deployment } from '../rpc/rpc-settings.ts';
import { words, wordsOf } from '../words.ts';

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
  const [problem, told] = useState('');
  const doing = useDoing();
  const save = async (publicUrl: string, storeAnyway = false) => {
    told('');
    const result = await doing.run(async () => {
      const came = await deployment.setPublicUrl({ publicUrl, version, storeAnyway });
      told(came.problem);
      if (came.outcome === 'stored') onChange();
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
              told('');
              type(typed);
            }}
            hint={say.hint}
            wrong={doing.wrong('public_url')}
          />
          {doing.refusal?.kind === 'conflict' && (
            <p class="notice" role="alert">
              {doing.refusal.message}
            </p>
          )}
          <Refused on={doing} shown={['public_url']} />
          {problem !== '' && (
            <div class="notice bad" role="alert">
              <div>
                <span dir="auto">{problem}</span>
                <p>
                  <button type="button" class="button bare" onClick={() => void save(url, true)}>
                    {wordsOf('operator').carriers.storeAnyway}
                  </button>
                </p>
              </div>
            </div>
          )}
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
