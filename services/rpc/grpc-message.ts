/**
 * Percent-encodes a message as gRPC has it: nothing but `%` and what is no printable ASCII. Connect encodes much more, and
 * decoders such as that of @grpc/grpc-js leave a comma that was encoded as `%2C`.
 */
export function encodeGrpcMessage(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** Has the message that Connect sets among the trailers of a call encoded as gRPC has it. */
export function encodeMessageIn(trailers: Headers): void {
  const asConnectHasIt = trailers.set.bind(trailers);
  const set = (name: string, value: string) => {
    const isMessage = name.toLowerCase() === 'grpc-message';
    asConnectHasIt(name, isMessage ? encodeGrpcMessage(decodeURIComponent(value)) : value);
  };
  Object.assign(trailers, { set });
}
