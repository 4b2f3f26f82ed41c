// Made from the protos by npm run generate: do not edit.

export * from './annotations_pb.ts';
export * from './http_pb.ts';
