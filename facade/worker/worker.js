/*
 * Shows the push messages of people whom this browser rings for, and says that there is no line where there is none. It keeps no data:
 * what it shows is always what the server says now. It serves the console, which brings it along, and the pages of links alike, so it
 * stands at the top.
 */

/** Written into it when it is served (worker.ts). */
const OFFLINE = $offline;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', event =>
  // A page is asked for before the worker has woken up: it costs nobody time.
  event.waitUntil(Promise.all([self.clients.claim(), self.registration.navigationPreload?.enable()])),
);

self.addEventListener('fetch', event => {
  if (event.request.mode === 'navigate') event.respondWith(pageOf(event).catch(noLine));
});

/** When it was found that there is no line, as long as that lasts and the browser lets this run. */
let since = null;

async function pageOf({ request, preloadResponse }) {
  const page = (await preloadResponse) ?? (await fetch(request));
  since = null;
  return page;
}

function noLine() {
  since ??= new Date();
  const html = OFFLINE.html.replaceAll(
    /<p lang="([\w-]+)">([^<]*)\$since/g,
    (_, language, before) =>
      `<p lang="${language}">${before}${since.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })}`,
  );
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': OFFLINE.policy };
  return new Response(html, { status: 503, headers });
}

self.addEventListener('push', event => {
  const { notification, tocsin = {} } = event.data.json();
  event.waitUntil(show(notification, tocsin));
});

/** Browsers end the subscription of whoever shows nothing, so that comes first. */
async function show({ title, body, lang, dir, tag, navigate }, { acknowledge, acknowledged, attempt, loud }) {
  await self.registration.showNotification(title, {
    ...{ body, lang, dir, tag },
    renotify: true,
    requireInteraction: loud === true,
    vibrate: loud === true ? [400, 200, 400, 200, 800] : [200],
    icon: 'app-192.png',
    badge: 'badge.png',
    data: { title, navigate, acknowledged, lang, dir },
    actions: acknowledge === undefined ? [] : [{ action: 'acknowledge', title: acknowledge }],
  });
  if (navigate !== undefined && attempt !== undefined)
    await tell(navigate, 'shown', `attempt=${attempt}`).catch(() => {});
}

self.addEventListener('notificationclick', event => {
  const { data, tag } = event.notification;
  event.notification.close();
  if (event.action === 'acknowledge') event.waitUntil(acknowledge(data, tag));
  else event.waitUntil(open(data.navigate));
});

/** Whoever pressed has to see that it counted; where it may not have, the page shows how it stands. */
async function acknowledge({ title, navigate, acknowledged, lang, dir }, tag) {
  const outcome = await tell(navigate, 'acknowledge', 'via=push').catch(() => '');
  // Somebody else had it, or it was over.
  if (outcome !== 'acknowledged') return open(navigate);
  const options = { body: acknowledged, lang, dir, tag, icon: 'app-192.png', badge: 'badge.png', silent: true };
  await self.registration.showNotification(title, { ...options, data: { navigate } });
}

async function tell(page, verb, fields) {
  const answer = await fetch(`${page}/${verb}`, { method: 'POST', body: fields, credentials: 'omit' });
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).outcome;
}

async function open(url = self.registration.scope) {
  const all = await self.clients.matchAll({ type: 'window' });
  const there = all.find(client => client.url === url);
  return there === undefined ? self.clients.openWindow(url) : there.focus();
}
