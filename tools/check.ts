import { sourceChecks, succeeds } from './commands.ts'

for (const { name, command } of sourceChecks) {
  if (await succeeds(command)) continue
  console.error(`The check of ${name} failed.`)
  process.exitCode = 1
}
