import { type RecipeFor, type RecipeText, secretOf, slugOf, triggerUrl } from './recipe.ts';

/** A flow to import: a button that tries it, the request, and what came of it. Whatever should fire is wired to the request. */
export function nodeRed(of: RecipeFor): RecipeText {
  const id = (part: string) => `tocsin_${slugOf(of)}_${part}`;
  const z = id('flow');
  const flow = [
    { id: z, type: 'tab', label: `Tocsin: ${of.name}`, disabled: false, info: '' },
    {
      ...{ id: id('try'), type: 'inject', z, name: 'Try it', props: [], repeat: '', crontab: '', once: false },
      ...{ onceDelay: 0.1, topic: '', x: 120, y: 80, wires: [[id('request')]] },
    },
    {
      ...{ id: id('request'), type: 'http request', z, name: 'Trigger', method: 'GET', ret: 'obj', paytoqs: 'ignore' },
      ...{
        url: triggerUrl(of),
        tls: '',
        persist: false,
        proxy: '',
        insecureHTTPParser: false,
        authType: '',
        senderr: false,
      },
      headers: [{ keyType: 'other', keyValue: 'X-API-Key', valueType: 'other', valueValue: secretOf(of) }],
      ...{ x: 300, y: 80, wires: [[id('answer')]] },
    },
    {
      ...{ id: id('answer'), type: 'debug', z, name: 'Its answer', active: true, tosidebar: true, console: false },
      ...{ tostatus: true, complete: 'payload', targetType: 'msg', statusVal: 'statusCode', statusType: 'msg' },
      ...{ x: 480, y: 80, wires: [] },
    },
  ];
  return { file: 'Node-RED > Import', text: `${JSON.stringify(flow, null, 2)}\n` };
}
