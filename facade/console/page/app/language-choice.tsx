import { useState } from 'preact/hooks';
import { Choice } from '../../design/parts.tsx';
import { chooseLanguage, LANGUAGES, type Language, language, words } from '../words.ts';

/** Lets the reader choose the language of the page. */
export function LanguageChoice() {
  const [tried, setTried] = useState<{ times: number; failed: boolean }>({ times: 0, failed: false });
  async function choose(to: Language) {
    try {
      await chooseLanguage(to);
      setTried({ times: 0, failed: false });
    } catch {
      // Drawn anew, the list shows again what is spoken.
      setTried(({ times }) => ({ times: times + 1, failed: true }));
    }
  }
  return (
    <Choice
      key={tried.times}
      label={words().language}
      value={language.value}
      options={Object.entries(LANGUAGES)}
      wrong={tried.failed ? words().languageAway : null}
      onChoose={to => void choose(to as Language)}
    />
  );
}
