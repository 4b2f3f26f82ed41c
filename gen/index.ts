// Made from the protos by npm run generate: do not edit.

export * as google_api from './google/api/index.ts';
export * as grpc_health_v1 from './grpc/health/v1/index.ts';
export * as grpc_reflection_v1 from './grpc/reflection/v1/index.ts';
export * as grpc_reflection_v1alpha from './grpc/reflection/v1alpha/index.ts';
export * as alarm_v1 from './tocsin/alarm/v1/index.ts';
export * as common_v1 from './tocsin/common/v1/index.ts';
export * as console_v1 from './tocsin/console/v1/index.ts';
export * as incident_v1 from './tocsin/incident/v1/index.ts';
export * as inventory_v1 from './tocsin/inventory/v1/index.ts';
