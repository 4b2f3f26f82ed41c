import { escapeHtml } from '../process/text.ts';

/** What stands on the page; everything in it is plain text that is escaped here. */
interface Content {
  /** BCP 47, of the words. */
  language: string;
  subject: string;
  facts: readonly { label: string; value: string }[];
  /** The button; null: there is none. */
  page: { url: string; label: string } | null;
}

/** A table around the link: mail programs that know no CSS for buttons still show one with a border that can be hit. */
const BUTTON = 'display:inline-block;padding:14px 24px;font-size:18px;color:#ffffff;text-decoration:none';

/** Writes the HTML part of a mail: a heading, facts, and at most one link. It fetches nothing and runs nothing. */
export function htmlPage({ language, subject, facts, page }: Content): string {
  const rows = facts.map(
    ({ label, value }) => `<dt><strong>${escapeHtml(label)}</strong></dt>\n<dd dir="auto">${escapeHtml(value)}</dd>`,
  );
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body>
<h1 dir="auto">${escapeHtml(subject)}</h1>
${page === null ? '' : buttonOf(page)}<dl>
${rows.join('\n')}
</dl>
</body>
</html>
`;
}

function buttonOf({ url, label }: NonNullable<Content['page']>): string {
  const link = `<a href="${escapeHtml(url)}" style="${BUTTON}">${escapeHtml(label)}</a>`;
  return `<table role="presentation"><tr><td bgcolor="#b00020">${link}</td></tr></table>\n`;
}
