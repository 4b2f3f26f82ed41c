import { writeFileSync } from 'node:fs';
import { LOCKED, licencesPage } from './licences.ts';

/*
 * Writes the list of the dependencies' licences anew, after package-lock.json has changed.
 */
writeFileSync(new URL('../../services/docs/LICENCES.md', import.meta.url), licencesPage(LOCKED));
