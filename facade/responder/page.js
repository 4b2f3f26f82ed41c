// biome-ignore-all lint/complexity/useArrowFunction: a phone whose browser cannot read this file would show an old page for ever.
// biome-ignore-all lint/style/useTemplate: likewise.

/*
 * Keeps the page of an incident up to date. Without a script it asks anew every 15 s, and where a browser is too old for
 * what is used here it does so too.
 */
(function () {
  if (!window.EventSource || !window.fetch || !Element.prototype.replaceWith) {
    setTimeout(function () {
      location.reload();
    }, 15000);
    return;
  }
  var path = location.pathname.replace(/\/+$/, '');

  function main() {
    return document.querySelector('main');
  }

  function offline(shown) {
    var line = main().querySelector('.offline');
    if (line) line.hidden = !shown;
  }

  // What is unfolded and typed stays on the page that comes instead.
  function stay(before, now) {
    before.querySelectorAll('details').forEach(function (one) {
      var other = now.querySelector('details.' + one.className);
      if (other) other.open = one.open;
    });
    var typed = before.querySelector('textarea');
    var field = now.querySelector('textarea');
    if (typed && field) field.value = typed.value;
  }

  // Whoever is typing goes on where they were.
  function typeOn(before) {
    var field = main().querySelector('textarea');
    if (!field || !before) return;
    field.focus();
    field.setSelectionRange(before.selectionStart, before.selectionEnd);
  }

  // Puts another <main> in place of the one that is shown, where it differs.
  function show(html) {
    var other = new DOMParser().parseFromString(html, 'text/html').querySelector('main');
    var active = document.activeElement;
    var typing = active && active.tagName === 'TEXTAREA' ? active : null;
    if (!other) return;
    if (other.getAttribute('data-print') !== main().getAttribute('data-print')) {
      stay(main(), other);
      // Whoever is about to touch a button must not touch the one that takes its place.
      other.inert = true;
      setTimeout(function () {
        other.inert = false;
        typeOn(typing);
      }, 600);
      main().replaceWith(other);
    } else {
      setClock(other);
    }
    offline(false);
  }

  function ask() {
    fetch(path, { cache: 'no-store' })
      .then(function (answer) {
        if (!answer.ok && answer.status !== 404) throw new Error(answer.status);
        return answer.text().then(show);
      })
      .catch(function () {
        offline(true);
      })
      .then(follow);
  }

  function follow() {
    var events = new EventSource(path + '/events');
    events.addEventListener('page', function (event) {
      show(JSON.parse(event.data));
    });
    events.onerror = function () {
      offline(true);
      // It tries again by itself unless it was refused: then the page is asked for in a while.
      if (events.readyState === EventSource.CLOSED) setTimeout(ask, 15000);
    };
  }

  // How long it has been open: counted on from what the page said last, as the clock of a phone may be wrong, and other counts
  // stand still while it sleeps.
  var counted = null;
  var since = 0;

  // The same page again, later.
  function setClock(other) {
    var shown = main().querySelector('.clock');
    var later = other.querySelector('.clock');
    if (!shown || !later) return;
    shown.setAttribute('data-s', later.getAttribute('data-s'));
    counted = null;
  }

  function count() {
    var shown = main().querySelector('.clock');
    if (!shown) return;
    if (shown !== counted) {
      counted = shown;
      since = Date.now() - 1000 * Number(shown.getAttribute('data-s'));
    }
    var seconds = Math.floor((Date.now() - since) / 1000);
    var hours = Math.floor(seconds / 3600);
    var minutes = Math.floor(seconds / 60) % 60;
    shown.textContent = (hours === 0 ? minutes : hours + ':' + two(minutes)) + ':' + two(seconds % 60);
  }

  function two(part) {
    return (part < 10 ? '0' : '') + part;
  }

  setInterval(count, 1000);
  count();
  follow();
})();
