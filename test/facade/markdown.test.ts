import { describe, expect, test } from 'vitest';
import { anchorOf, renderMarkdown } from '../../facade/markdown.ts';

const html = (text: string, linkTo: (href: string) => string | null = href => href) =>
  renderMarkdown(text, { linkTo }).html;

describe('an anchor', () => {
  test.each([
    ['First call', 'first-call'],
    ['“Unknown mode”', 'unknown-mode'],
    ['404, though the ID is right', '404-though-the-id-is-right'],
    ['5.10 What travels on the bus', '510-what-travels-on-the-bus'],
    ['Keys, errors, limits', 'keys-errors-limits'],
    ['/v1 & co_1', 'v1--co_1'],
    ['Größe', 'größe'],
  ])('of %j is %j, as on GitHub', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor);
  });

  test('is of the words alone, and of a second heading of the same name another', () => {
    const { headings } = renderMarkdown('# A\n## `links` and *more*\n## Limits\n### Limits\n## Limits', {
      linkTo: href => href,
    });
    expect(headings.map(({ id }) => id)).toEqual(['a', 'links-and-more', 'limits', 'limits-1', 'limits-2']);
    expect(headings[1]).toEqual({ depth: 2, id: 'links-and-more', text: 'links and more' });
  });

  test('that a heading had before leads to it too', () => {
    const { html } = renderMarkdown('## The window', { linkTo: href => href, anchors: { 'the-window': 'window' } });
    expect(html).toContain('<h2 id="the-window"><span id="window"></span>The window');
  });
});

test('HTML of the text is shown, not made', () => {
  expect(html('a <b onclick="x()">c</b>\n\n<script>x</script>\n')).not.toMatch(/<b|<script/);
  expect(html('`<b>` and &lt;')).toContain('<code>&lt;b&gt;</code> and &lt;');
  expect(html('```js\nif (a < b) c("d");\n```')).toContain('if (a &#60; b) c(&#34;d&#34;);');
  expect(html('[x](<a"b>)', () => '/a"b')).toContain('href="/a&#34;b"');
});

test('a link that leads nowhere here is text', () => {
  expect(html('see [the *code*](../app.ts)', () => null)).toBe('<p>see the <em>code</em></p>\n');
});

test('each command is selected by itself, anything else as a whole', () => {
  const commands = html('```sh\nnpm ci   # all of it\nnpm start\n```');
  expect(commands).toContain('<span>npm ci  <i> # all of it</i></span>\n<span>npm start</span>');
  expect(html('```yaml\na: 1\nb: 2\n```')).toContain('<code class="whole">a: 1\nb: 2</code>');
});

test('of several columns cells say which is theirs, for narrow screens', () => {
  const three = html('| A | `B` | C |\n|---|---|---|\n| 1 | **2** | 3 |');
  expect(three).toContain('<td>1</td><td data-label="B"><strong>2</strong></td><td data-label="C">3</td>');
  const begun = html('| To … | B |\n|---|---|\n| try it | 2 |');
  expect(begun).toContain('<td data-begins="To">try it</td><td>2</td>');
  expect(html('| A | B |\n|---|---|\n| 1 | 2 |')).toContain('<tr><td>1</td><td>2</td></tr>');
});
