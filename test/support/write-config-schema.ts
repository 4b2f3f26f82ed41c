import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FILE_SCHEMA } from '../../services/configuration/file/schema.ts';

/*
 * Writes the published JSON Schema of the configuration file anew, from the rules of its fields: `npm run generate`.
 */
const path = fileURLToPath(new URL('../../facade/docs/config.schema.json', import.meta.url));
writeFileSync(path, JSON.stringify(FILE_SCHEMA));
execFileSync('biome', ['format', '--write', path], { stdio: ['ignore', 'ignore', 'inherit'] });
