import { type Client, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { InventoryService } from '../../../gen/tocsin/inventory/v1/inventory_pb.ts';
import type { World } from '../../support/world.ts';

/** The inventory service over the RPC port, as any other process calls it. */
export function inventoryOf(world: Pick<World, 'rpcUrl'>): Client<typeof InventoryService> {
  return createClient(InventoryService, createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }));
}

/** A call with an API key. */
export function withKey(key: string): { headers: { 'x-api-key': string } } {
  return { headers: { 'x-api-key': key } };
}
