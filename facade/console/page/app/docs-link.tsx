import { addressOf } from '../way/router.ts';
import { language, words } from '../words.ts';

/** The link to the documentation, to its pages in the reader's language. */
export function DocsLink() {
  return <a href={addressOf(language.value === 'en' ? 'docs' : `docs/${language.value}`)}>{words().nav.docs}</a>;
}
