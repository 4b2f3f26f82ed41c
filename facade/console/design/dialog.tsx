import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Opens a dialog as long as it is drawn. It is closed before it goes: so the keyboard is again on what opened it. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  // Out of the page it could give nothing back.
  useLayoutEffect(() => {
    const opened = dialog.current!;
    opened.showModal();
    // The first choice takes the keyboard, also where another one is made.
    if (opened.querySelector('[type=radio]:focus:not(:checked)') !== null)
      opened.querySelector<HTMLElement>('[type=radio]:checked')?.focus();
    return () => {
      // Whoever takes it away knows.
      opened.addEventListener('close', event => event.stopImmediatePropagation(), { capture: true });
      opened.close();
    };
  }, []);
  return dialog;
}

/** Something to be filled in or read before the screen below it goes on. Escape closes it. */
export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ComponentChildren }) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="dialog" onClose={onClose}>
      <h2 id="dialog" dir="auto">
        {title}
      </h2>
      {children}
    </dialog>
  );
}
