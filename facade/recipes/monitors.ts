import { type RecipeFor, type RecipeText, secretOf, triggerUrl } from './recipe.ts';

/** The fields of a webhook of Healthchecks, in its words. It takes 200, 201, 202 and 204 for arrived, and tries twice more. */
export function healthchecks(of: RecipeFor): RecipeText {
  return {
    file: 'Healthchecks > Integrations > Webhook > Add Integration',
    text: `Name: Tocsin
Execute when a check goes down
  Method: GET
  URL: ${triggerUrl(of)}
  Request Headers: X-API-Key: ${secretOf(of)}
Execute when a check goes up
  URL: (leave it empty)
`,
  };
}

/** The custom provider of Gatus. Without send-on-resolved it calls once when an endpoint fails, and never when it is back. */
export function gatus(of: RecipeFor): RecipeText {
  return {
    file: 'config.yaml of Gatus',
    text: `alerting:
  custom:
    url: ${triggerUrl(of)}
    method: GET
    headers:
      X-API-Key: ${secretOf(of)}
    default-alert:
      failure-threshold: 3

# In each endpoint that should alert:
#   alerts:
#     - type: custom
`,
  };
}
