import type { RecipeFor } from '../../../recipes/recipe.ts';
import { RECIPES, type RecipeName } from '../../../recipes/recipes.ts';
import { Copy } from '../parts/copy.tsx';
import { wordsOf } from '../words.ts';
import { isAlarm, type Source } from './source.ts';

/** How many lines of a text are visible at once. */
const LINES = 24;

/** Shows a recipe for a source: where it goes, and the whole text to be copied. */
export function RecipeText({
  name,
  of,
  base,
  secret,
}: { name: RecipeName; of: Source } & Pick<RecipeFor, 'base' | 'secret'>) {
  const say = wordsOf('recipes');
  const kind: RecipeFor['kind'] = isAlarm(of) ? 'alarm' : 'panic_button';
  const { file, text } = RECIPES[name]({ kind, id: of.id, name: of.name, key: of.key, base, secret });
  return (
    <>
      <p>{say.how[name]}</p>
      <div class="recipe">
        <span class="soft small">
          {say.into} {file}
        </span>
        <Copy key={name} text={text} of={say.names[name] ?? name} />
        <textarea
          readOnly
          spellcheck={false}
          aria-label={say.names[name]}
          rows={Math.min(LINES, text.split('\n').length)}
          value={text}
        />
      </div>
    </>
  );
}
