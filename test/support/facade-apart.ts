import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type Facade, type FacadeOptions, startFacade } from '../../facade/app.ts';
import type { Config } from '../../facade/config.ts';
import { createServicesTransport } from '../../facade/rpc/transport.ts';
import { facadeConfig } from './facade-config.ts';

/** A facade as in a process of its own, before the services at `rpcUrl`; it ends with the test. */
export async function startFacadeApart(
  rpcUrl: string,
  {
    log = pino({ level: 'silent' }),
    limits,
    ...config
  }: Partial<Config> & { log?: Logger } & Pick<FacadeOptions, 'limits'> = {},
): Promise<Facade> {
  const services = createServicesTransport([rpcUrl], null, log);
  const facade = await startFacade({
    transport: services.transport,
    config: facadeConfig(config),
    log,
    ...(limits !== undefined && { limits }),
  });
  onTestFinished(async () => {
    await facade.close();
    services.close();
  });
  return facade;
}
