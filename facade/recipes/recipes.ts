import { frigate, unifi } from './cameras.ts';
import { esphome, homebridge, shelly } from './devices.ts';
import { homeAssistant } from './home-assistant.ts';
import { gatus, healthchecks } from './monitors.ts';
import { nodeRed } from './node-red.ts';
import type { RecipeFor, RecipeText } from './recipe.ts';
import { curl, http, systemd } from './shell.ts';

/** How to make what somebody has call Tocsin, by the name that the command line takes. The console and the command line show them. */
export const RECIPES = {
  curl,
  ha: homeAssistant,
  frigate,
  unifi,
  'node-red': nodeRed,
  esphome,
  shelly,
  homebridge,
  systemd,
  healthchecks,
  gatus,
  http,
} as const satisfies Record<string, (of: RecipeFor) => RecipeText>;

export type RecipeName = keyof typeof RECIPES;

/** The names of all recipes, in the order in which they are offered. */
export const RECIPE_NAMES = Object.keys(RECIPES) as RecipeName[];
