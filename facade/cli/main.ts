import { processIo } from './io.ts';
import { run } from './run.ts';

// Not process.exit(): what was written must still reach a pipe.
process.exitCode = await run(process.argv.slice(2), processIo(process.env));
// A connection kept open by the server must not hold back the prompt.
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
