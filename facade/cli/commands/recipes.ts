import { Argument, type Command, Option } from 'commander';
import { clean } from '../../../services/process/text.ts';
import { baseOf, type RecipeFor } from '../../recipes/recipe.ts';
import { RECIPE_NAMES, RECIPES, type RecipeName } from '../../recipes/recipes.ts';
import { how, keyMissing, names } from '../../recipes/words.ts';
import { examples } from '../flags.ts';
import type { Act } from '../session.ts';

/** `tocsin recipes`: how to make what somebody has call an alarm or a panic button, with its real id and address. */
export function addRecipes(program: Command, act: Act): void {
  const recipes = program.command('recipes');
  recipes
    .addArgument(new Argument('<source>', 'alarm or panic button: id or key'))
    .addOption(new Option('--for <what>', 'the text for this (all are listed)').choices(RECIPE_NAMES));
  examples(recipes, 'recipes house', 'recipes house --for ha').action(
    act(async (session, { for: name }: { for?: RecipeName }, source: string) => {
      const [{ sources }, deployment] = await Promise.all([
        session.rpc.readiness.getReadiness({ sourceId: source }),
        session.rpc.deployment.getDeployment({}),
      ]);
      const found = sources[0]!;
      const of: RecipeFor = {
        kind: found.kind === 'alarm' ? 'alarm' : 'panic_button',
        id: found.sourceId,
        name: found.name,
        key: found.key,
        base: baseOf(deployment, 'http://localhost:8080'),
        secret: null,
      };
      if (name === undefined) {
        session.value([...RECIPE_NAMES], () => [
          ...RECIPE_NAMES.map(name => `${name.padEnd(14)}${names[name]}`),
          '',
          `tocsin recipes ${clean(of.key)} --for ${RECIPE_NAMES[0]} prints one.`,
        ]);
        return;
      }
      const { file, text } = RECIPES[name](of);
      // What is piped into a file is the text and nothing else.
      session.note([how[name], `It goes into ${file}.`, keyMissing].join('\n'));
      session.value({ for: name, file, text }, () => [text.trimEnd()]);
    }),
  );
}
