import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Something to be filled in or read before the screen below it goes on. Escape closes it. */
export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="dialog" onClose={onClose}>
      <h2 id="dialog" dir="auto">
        {title}
      </h2>
      {children}
    </dialog>
  );
}
