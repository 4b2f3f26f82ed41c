import { quote, type RecipeFor, type RecipeText, secretOf, slugOf, triggerUrl } from './recipe.ts';

/** One package file: a command, and for an alarm its state with a panel that shows and sets it; a panic button is a button. */
export function homeAssistant(of: RecipeFor): RecipeText {
  return {
    file: `packages/tocsin_${slugOf(of)}.yaml`,
    text: of.kind === 'alarm' ? alarmPackage(of) : buttonPackage(of),
  };
}

function head(of: RecipeFor): string {
  return `# configuration.yaml:  homeassistant: { packages: !include_dir_named packages }
# secrets.yaml:        tocsin_key: ${secretOf(of)}
`;
}

function alarmPackage(of: RecipeFor): string {
  const slug = slugOf(of);
  const call = (action: string) => `- action: rest_command.tocsin_${slug}
            data: { action: ${action} }`;
  return `${head(of)}rest_command:
  tocsin_${slug}:
    url: "${of.base}/v1/alarm/${of.id}/{{ action }}"
    headers:
      X-API-Key: !secret tocsin_key
    timeout: 10

rest:
  - resource: ${of.base}/v1/integration/state
    headers:
      X-API-Key: !secret tocsin_key
    scan_interval: 30
    sensor:
      - name: tocsin_${slug}_state
        unique_id: tocsin_${slug}_state
        value_template: >-
          {{ (value_json.data.alarms | selectattr('id', 'eq', '${of.id}') | first).state }}

template:
  - alarm_control_panel:
      - name: ${quote(of.name)}
        unique_id: tocsin_${slug}
        code_arm_required: false
        code_format: no_code
        state: >-
          {% set state = states('sensor.tocsin_${slug}_state') %}
          {{ {'home': 'armed_home', 'away': 'armed_away', 'night': 'armed_night', 'vacation': 'armed_vacation'}
             .get(state, state) }}
        arm_home:
          ${call('arm/home')}
        arm_away:
          ${call('arm/away')}
        arm_night:
          ${call('arm/night')}
        arm_vacation:
          ${call('arm/vacation')}
        disarm:
          ${call('disarm')}
        trigger:
          ${call('trigger')}
`;
}

function buttonPackage(of: RecipeFor): string {
  const slug = slugOf(of);
  return `${head(of)}rest_command:
  tocsin_${slug}:
    url: ${triggerUrl(of)}
    headers:
      X-API-Key: !secret tocsin_key
    timeout: 10

template:
  - button:
      - name: ${quote(of.name)}
        unique_id: tocsin_${slug}
        press:
          - action: rest_command.tocsin_${slug}
`;
}
