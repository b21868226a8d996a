import { readFileSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { ConfigMistakes, readConfig } from './config.ts'
import { openLog } from './log.ts'

const usage = `Innkeeper, a control panel for game and application servers.

Usage: innkeeper <command>

  run         starts the panel and its node (the role setting says which)
  version     prints the version
  help        prints this

Settings come from the environment (INNKEEPER_…) and the configuration file: see docs/configuration.md.`

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const [command = 'help', ...rest] = process.argv.slice(2)
if (command === 'run' && rest.length === 0) await runUntilToldToLeave()
else if (command === 'version' || command === '--version') console.log(version)
else if (command === 'help' || command === '--help' || rest.includes('--help')) console.log(usage)
else {
  console.error(`There is no command "${[command, ...rest].join(' ')}".\n\n${usage}`)
  process.exitCode = 2
}

async function runUntilToldToLeave(): Promise<void> {
  try {
    const config = readConfig(process.env, process.cwd())
    const log = openLog(config.logLevel, process.stdout.isTTY === true)
    // Loaded only now, so that a compile cache beside the data makes the second start a fast one.
    enableCompileCache(`${config.dataDir}/cache/compiled`)
    const { run } = await import('./run.ts')
    const innkeeper = await run(config, version, log)
    process.stdout.write(welcome(innkeeper.url, innkeeper.setupCode))
    flushCompileCache()
    leaveOnSignals(innkeeper)
  } catch (error) {
    console.error(reasonOf(error))
    process.exit(1)
  }
}

/** SIGTERM leaves servers running; Ctrl-C stops them first, and a second Ctrl-C leaves at once. */
function leaveOnSignals(innkeeper: { stopServers(): Promise<void>; leave(): Promise<void> }): void {
  let leaving = false
  const leave = (before: () => Promise<void>) => {
    leaving = true
    before()
      .then(() => innkeeper.leave())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', () => {
    if (!leaving) leave(async () => {})
  })
  process.on('SIGINT', () => {
    if (leaving) process.exit(130)
    process.stdout.write('\nStopping all servers. Press Ctrl-C again to leave them running.\n')
    leave(() => innkeeper.stopServers())
  })
}

function welcome(url: string, setupCode: string | undefined): string {
  const lines = [`Innkeeper ${version} is at ${url}`]
  if (setupCode !== undefined)
    lines.push('Create the first administrator there with this setup code:', `  ${setupCode}`)
  return `\n${lines.join('\n')}\n\n`
}

function reasonOf(error: unknown): string {
  if (error instanceof ConfigMistakes) return error.message
  if (!(error instanceof Error)) return String(error)
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (code === 'EADDRINUSE') return `Port ${port} is in use already. Choose another one with INNKEEPER_PORT.`
  if (code === 'EACCES' && port !== undefined) return `Port ${port} of ${address} may not be used by this user.`
  return error.name === 'Error' || error.name === 'DataInUse' ? error.message : (error.stack ?? error.message)
}
