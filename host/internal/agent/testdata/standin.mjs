// Stands in for the Harness: a process that reads its secret, prints the ready line
// of the file beside it, and lives until it is told to end. What the line names is
// served by the test.
import { readFileSync } from 'node:fs';

process.stdin.resume();
process.stdin.on('error', () => {});
process.on('SIGTERM', () => process.exit(0));
console.log(`dsh web: ${readFileSync(new URL('ready', import.meta.url), 'utf8')}`);
setInterval(() => {}, 1 << 30);
