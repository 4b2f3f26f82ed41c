// Made from the protos by npm run generate: do not edit.

export * from './incident_pb.ts';
export * from './page_pb.ts';
export * from './responder_pb.ts';
export * from './timeline_pb.ts';
export * from './totals_pb.ts';
