import { type DescMethod, type DescMethodUnary, type DescService, getOption } from '@bufbuild/protobuf';
import { http } from '../gen/google/api/annotations_pb.ts';
import type { HttpRule } from '../gen/google/api/http_pb.ts';

/** One path of /v1 and the RPC behind it. */
export interface Binding {
  method: DescMethodUnary;
  /** As in the proto, `/v1/alarm/{alarm_id}/arm`: the name of the route in metrics. */
  template: string;
  /** As the router expects it, `/v1/alarm/:alarmId/arm`: its parameters are the fields of the request message. */
  path: string;
}

/**
 * Returns the paths of these services' RPCs by their google.api.http annotations, including additional_bindings; an RPC without
 * the annotation has none. Throws on an annotation that a bodyless GET cannot carry.
 */
export function bindingsOf(services: readonly DescService[]): Binding[] {
  return services.flatMap(({ methods }) =>
    methods.flatMap(method => {
      const rule = getOption(method, http);
      return [rule, ...rule.additionalBindings]
        .filter(({ pattern }) => pattern.case !== undefined)
        .map(bound => bindingOf(method, bound));
    }),
  );
}

function bindingOf(method: DescMethod, { pattern, body }: HttpRule): Binding {
  if (!isUnary(method)) throw fault(method, 'it is a stream');
  if (pattern.case !== 'get' || body !== '') throw fault(method, 'it is not bound to a GET without a body');
  return { method, template: pattern.value, path: pathOf(method, pattern.value) };
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary';
}

function pathOf(method: DescMethod, template: string): string {
  return template.replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const field = method.input.fields.find(candidate => candidate.name === name);
    if (field?.fieldKind !== 'scalar') throw fault(method, `its request has no single value named ${name}`);
    return `:${field.localName}`;
  });
}

function fault(method: DescMethod, reason: string): Error {
  return new Error(`The google.api.http annotation of ${method.parent.name}.${method.name} makes no route: ${reason}.`);
}
