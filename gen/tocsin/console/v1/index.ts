// Made from the protos by npm run generate: do not edit.

export * from './accounts_pb.ts';
export * from './alarms_pb.ts';
export * from './api_keys_pb.ts';
export * from './audit_pb.ts';
export * from './carriers_pb.ts';
export * from './configuration_pb.ts';
export * from './contacts_pb.ts';
export * from './days_pb.ts';
export * from './deleted_accounts_pb.ts';
export * from './deployment_pb.ts';
export * from './drills_pb.ts';
export * from './duties_pb.ts';
export * from './locations_pb.ts';
export * from './members_pb.ts';
export * from './notices_pb.ts';
export * from './panic_buttons_pb.ts';
export * from './policies_pb.ts';
export * from './readiness_pb.ts';
export * from './sessions_pb.ts';
export * from './spend_pb.ts';
export * from './tokens_pb.ts';
export * from './tonight_pb.ts';
