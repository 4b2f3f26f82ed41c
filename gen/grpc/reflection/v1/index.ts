// Made from the protos by npm run generate: do not edit.

export * from './reflection_pb.ts';
