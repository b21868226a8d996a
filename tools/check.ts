import { sourceChecks, succeeds } from './commands.ts'

for (const { name, command } of sourceChecks) {
  if (await succeeds(command)) continue
  console.error(`Check failed: ${name}`)
  process.exitCode = 1
}
