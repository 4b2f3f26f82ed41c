import { type RecipeFor, type RecipeText, secretOf, triggerUrl } from './recipe.ts';

/** Frigate itself sends no webhooks: frigate-notify, which follows it, does. */
export function frigate(of: RecipeFor): RecipeText {
  return {
    file: 'config.yml of frigate-notify',
    text: `alerts:
  labels:
    allow:
      - person
  webhook:
    enabled: true
    server: ${triggerUrl(of)}
    ignoressl: false
    method: GET
    headers:
      - X-API-Key: ${secretOf(of)}
`,
  };
}

/** The fields of the form in UniFi Protect, in its words. */
export function unifi(of: RecipeFor): RecipeText {
  return {
    file: 'Protect > Alarm Manager > Create Alarm > Action: Webhook > Custom Webhook',
    text: `Delivery URL: ${triggerUrl(of)}
Advanced Settings
  Method: GET
  Use Authentication: off
  Header: X-API-Key
  Value: ${secretOf(of)}
`,
  };
}
