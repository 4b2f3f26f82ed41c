import { fileURLToPath } from 'node:url';
import { generateInto } from './generated.ts';

/*
 * Writes gen anew, after a proto has changed.
 */
await generateInto(fileURLToPath(new URL('../..', import.meta.url)));
