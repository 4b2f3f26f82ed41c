import { useEffect, useRef, useState } from 'preact/hooks';
import { Confirm } from '../../design/parts.tsx';
import { words } from '../words.ts';

/** How long it is held, in milliseconds. */
const HOLD_MS = 1_500;

/** A page that slept meanwhile was held by nobody: later than this, in milliseconds, it is no hold any more. */
const LATE_MS = 5_000;

/**
 * A button that does nothing unless it is held: with a finger, a mouse, Space or Enter. Whatever ends that before, a finger that
 * leaves or scrolls too, ends it for good. Whoever can only click, as by voice, is asked instead.
 */
export function Hold({ name, id, onHeld }: { name: string; id?: string | undefined; onHeld(): void }) {
  const say = words().press;
  const [is, now] = useState<'idle' | 'held' | 'released' | 'asked'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** Where it was when it was pressed: an alarm that comes in meanwhile moves it, and takes it from no hand. */
  const place = useRef(new DOMRect());
  useEffect(() => () => clearTimeout(timer.current), []);

  function begin() {
    if (timer.current !== undefined) return;
    const began = performance.now();
    now('held');
    timer.current = setTimeout(() => {
      if (document.visibilityState !== 'visible' || performance.now() - began > HOLD_MS + LATE_MS) return end();
      timer.current = undefined;
      now('idle');
      onHeld();
    }, HOLD_MS);
  }

  function end() {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    now('released');
  }

  const shown = is === 'held' || is === 'released' ? is : 'idle';
  return (
    <>
      <button
        type="button"
        id={id}
        class={`button quiet hold ${is}`}
        onPointerDown={event => {
          const { isPrimary, button, pointerId, currentTarget: at } = event;
          if (!isPrimary || button !== 0) return;
          at.setPointerCapture(pointerId);
          place.current = at.getBoundingClientRect();
          begin();
        }}
        onPointerMove={({ clientX: x, clientY: y }) => {
          const { left, right, top, bottom } = place.current;
          if (x < left || x > right || y < top || y > bottom) end();
        }}
        onPointerUp={end}
        onLostPointerCapture={end}
        onContextMenu={event => event.preventDefault()}
        onKeyDown={event => {
          if (event.key !== ' ' && event.key !== 'Enter') return end();
          event.preventDefault();
          if (!event.repeat) begin();
        }}
        onKeyUp={event => {
          event.preventDefault();
          end();
        }}
        onBlur={end}
        onClick={event => {
          if (event.detail === 0) now('asked');
        }}
      >
        <svg class="ring" viewBox="0 0 24 24" aria-hidden="true">
          <circle cx="12" cy="12" r="9" />
          <circle class="run" cx="12" cy="12" r="9" pathLength="1" />
        </svg>
        <span class="labels">
          {Object.entries(say.labels).map(([one, label]) => (
            <span key={one} class={one === shown ? undefined : 'ghost'}>
              {label}
            </span>
          ))}
        </span>
        <span class="unseen">{name}</span>
      </button>
      <span class="unseen" role="status">
        {is === 'held' ? say.labels.held : is === 'released' ? say.tooEarly : ''}
      </span>
      {is === 'asked' && (
        <Confirm
          title={say.confirm(name)}
          text={say.confirmText}
          yes={say.trigger}
          no={words().cancel}
          tone="live"
          wrong={null}
          working={false}
          onYes={() => {
            now('idle');
            onHeld();
          }}
          onNo={() => now('idle')}
        />
      )}
    </>
  );
}
