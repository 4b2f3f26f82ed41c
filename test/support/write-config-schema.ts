import { writeFileSync } from 'node:fs';
import { FILE_SCHEMA } from '../../services/console/file/schema.ts';

/*
 * Writes the published JSON Schema of the configuration file anew, after a noun's field rules have changed; then format it.
 */
const path = new URL('../../facade/docs/config.schema.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(FILE_SCHEMA, null, 2)}\n`);
