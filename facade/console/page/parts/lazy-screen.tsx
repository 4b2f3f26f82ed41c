import { signal } from '@preact/signals';
import { type ComponentType, h } from 'preact';
import { useEffect } from 'preact/hooks';
import { Empty, Skeleton } from '../../design/parts.tsx';
import { pulse } from '../live/live.ts';
import { loadPart, type Part, words } from '../words.ts';

/**
 * Returns a screen whose code and words are fetched when it is first shown, or before by `fetchIt`, which never throws. `until`: what
 * stands in its place until then.
 */
export function lazyScreen<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  says: Part = 'rest',
  until: 'skeleton' | 'nothing' = 'skeleton',
): ComponentType<Props> & { fetchIt(): Promise<'there' | 'away'> } {
  const screen = signal<{ is: 'waiting' | 'away' } | { is: 'there'; shown: ComponentType<Props> }>({ is: 'waiting' });

  async function fetchIt(): Promise<'there' | 'away'> {
    if (screen.peek().is === 'there') return 'there';
    try {
      const [shown] = await Promise.all([load(), loadPart(says)]);
      screen.value = { is: 'there', shown };
      return 'there';
    } catch {
      screen.value = { is: 'away' };
      return 'away';
    }
  }

  function LazyScreen(props: Props) {
    // What shows nothing while it is away cannot ask anybody to load it again.
    const again = until === 'nothing' && screen.value.is === 'away' ? pulse.value : 0;
    useEffect(() => {
      void fetchIt();
    }, [again]);
    if (screen.value.is === 'there') return h(screen.value.shown, props);
    if (until === 'nothing') return null;
    if (screen.value.is === 'waiting') return <Skeleton label={words().loading} />;
    const { title, text, do: act } = words().notFetched;
    return (
      <Empty icon="alert" of="screen" title={title} text={text}>
        <button type="button" class="button" onClick={() => location.reload()}>
          {act}
        </button>
      </Empty>
    );
  }
  return Object.assign(LazyScreen, { fetchIt });
}
