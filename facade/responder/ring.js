/*
 * Makes this browser ring for a person, once they press the button: it asks for leave, subscribes at the push service of the browser, and tells
 * the link's page. What is said by what becomes of it stands on the button, in the person's language.
 */
(() => {
  const button = document.querySelector('button.ring');
  if (button === null) return;
  const line = document.querySelector('.status');
  const said = { ...button.dataset };
  const { key } = said;
  const path = location.pathname.replace(/\/+$/, '');

  function say(what, more = '') {
    line.hidden = false;
    if (what === 'rings') document.querySelector('main').className = 'acknowledged';
    line.textContent = `${said[what]}${more}`;
    line.dataset.is = what;
  }

  const isPad =
    /iPhone|iPad/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
  const canRing = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  if (!canRing) {
    button.remove();
    say(isPad ? 'install' : 'unsupported');
    return;
  }

  /** What a person knows it by. */
  function nameOf(agent) {
    const first = (pairs, otherwise) => (pairs.find(([mark]) => mark.test(agent)) ?? [null, otherwise])[1];
    const browser = first(
      [
        [/Edg/, 'Edge'],
        [/OPR/, 'Opera'],
        [/SamsungBrowser/, 'Samsung Internet'],
        [/Firefox|FxiOS/, 'Firefox'],
        [/Chrome|CriOS/, 'Chrome'],
        [/Safari/, 'Safari'],
      ],
      'Browser',
    );
    const system = isPad
      ? 'iPhone, iPad'
      : first(
          [
            [/Android/, 'Android'],
            [/Windows/, 'Windows'],
            [/Mac OS/, 'Mac'],
            [/Linux|CrOS/, 'Linux'],
          ],
          '',
        );
    return system === '' ? browser : `${browser}, ${system}`;
  }

  const inText = buffer =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '');

  async function subscribe(registration) {
    const wanted = { userVisibleOnly: true, applicationServerKey: key };
    const had = await registration.pushManager.getSubscription();
    const isOther = had !== null && inText(had.options.applicationServerKey) !== key;
    // Of another key, as after a new beginning of the server: it rings for nobody any more.
    if (isOther) await had.unsubscribe();
    return registration.pushManager.subscribe(wanted);
  }

  async function ring() {
    // Before anything else: leave is asked for only while the press is fresh.
    if ((await Notification.requestPermission()) !== 'granted') return say('refused');
    say('working');
    await navigator.serviceWorker.register('../worker.js', { scope: '../' });
    const subscription = await subscribe(await navigator.serviceWorker.ready);
    const answer = await fetch(path, {
      method: 'POST',
      body: new URLSearchParams({
        endpoint: subscription.endpoint,
        p256dh: inText(subscription.getKey('p256dh')),
        auth: inText(subscription.getKey('auth')),
        name: nameOf(navigator.userAgent),
      }).toString(),
    });
    const told = await answer.json();
    if (!answer.ok) return say('failed', ` ${told.message}`);
    button.remove();
    say(told.problem === '' ? 'rings' : 'unproven', told.problem === '' ? ` ${said.silent}` : ` ${told.problem}`);
  }

  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await ring();
    } catch (fault) {
      say('failed', ` (${fault.name})`);
    } finally {
      button.disabled = false;
    }
  });
})();
