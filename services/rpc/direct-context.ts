import type { DescMethod } from '@bufbuild/protobuf';
import { type ContextValues, createContextValues, type HandlerContext } from '@connectrpc/connect';

type Sent = ConstructorParameters<typeof Headers>[0];

/**
 * The handler's context of a call. Headers are created on first use: creating them costs a tenth of a call, and most calls need
 * none.
 */
export class DirectContext implements HandlerContext {
  readonly method: DescMethod;
  readonly requestMethod = 'POST';
  readonly protocolName = 'direct';
  readonly signal: AbortSignal;
  #sent: Sent;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #values: ContextValues | undefined;

  constructor(method: DescMethod, sent: Sent, signal: AbortSignal) {
    this.method = method;
    this.#sent = sent;
    this.signal = signal;
  }

  get requestHeader() {
    this.#requestHeader ??= new Headers(this.#sent);
    return this.#requestHeader;
  }

  /** Returns one value of the metadata by its lower-case name, or null. */
  sent(name: string): string | null {
    const sent = this.#sent;
    if (Array.isArray(sent)) return sent.find(([one]) => one === name)?.[1] ?? null;
    return sent instanceof Headers || sent === undefined ? this.requestHeader.get(name) : (sent[name] ?? null);
  }

  get service() {
    return this.method.parent;
  }

  get url() {
    return `direct:/${this.method.parent.typeName}/${this.method.name}`;
  }

  get responseHeader() {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get hasResponseHeader() {
    return this.#responseHeader !== undefined;
  }

  get responseTrailer() {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  get values() {
    this.#values ??= createContextValues();
    return this.#values;
  }

  timeoutMs() {
    return undefined;
  }
}

/** Reads metadata of a call, without building headers for a call from within this process. */
export function sentWith(context: HandlerContext, name: string): string | null {
  return context instanceof DirectContext ? context.sent(name) : context.requestHeader.get(name);
}
