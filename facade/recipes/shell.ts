import { type RecipeFor, type RecipeText, secretOf, triggerUrl } from './recipe.ts';

/** For any shell: sending again does no harm, so it tries again whenever no answer came. */
export function curl(of: RecipeFor): RecipeText {
  return {
    file: 'shell',
    text: `export TOCSIN_KEY='${secretOf(of)}'
curl -sS -m 10 --retry 5 --retry-all-errors -H "X-API-Key: $TOCSIN_KEY" '${triggerUrl(of)}'
`,
  };
}

/** A unit that others name in OnFailure=; the key stands in a file that root alone reads. */
export function systemd(of: RecipeFor): RecipeText {
  return {
    file: '/etc/systemd/system/tocsin@.service',
    text: `# sudo install -m 600 /dev/null /etc/tocsin.env
# echo 'TOCSIN_KEY=${secretOf(of)}' | sudo tee /etc/tocsin.env
[Unit]
Description=Tocsin: %i failed

[Service]
Type=oneshot
EnvironmentFile=/etc/tocsin.env
ExecStart=/usr/bin/curl -sS -m 10 --retry 5 --retry-all-errors -H "X-API-Key: \${TOCSIN_KEY}" ${triggerUrl(of)}

# In the unit that should be watched (systemctl edit backup.service):
# [Unit]
# OnFailure=tocsin@%n.service
`,
  };
}

/** What a form of whatever sends a request has to be told, in the words of HTTP. */
export function http(of: RecipeFor): RecipeText {
  return {
    file: 'webhook, HTTP request, URL action',
    text: `Method: GET
URL: ${triggerUrl(of)}
Header: X-API-Key
Value: ${secretOf(of)}
Body: none
Success: 202
`,
  };
}
