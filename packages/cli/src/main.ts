import { readFileSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { isOnAllAddresses } from '@innkeeper/panel/http/listener-url'
import { type Config, ConfigError, readConfig } from './installation/config.ts'
import { openLog } from './log.ts'
import type { Innkeeper } from './run.ts'
import { logUnhandledRejections, shutDownOnSignals } from './shutdown.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** Errors whose message is enough, without a stack. */
const errorsWithMessage = [
  'Error',
  'ApplyError',
  'BackupError',
  'DataDirLockedError',
  'DatabaseLockedError',
  'ForeignDatabaseError',
  'ImportError',
  'LocalNodeLockedError',
  'ManifestError',
  'PanelError',
  'Refusal',
  'SnapshotError',
  'UsageError',
  'CanceledError',
]

const args = process.argv.slice(2)
const [command = 'help', ...rest] = args
if (command === 'run' && rest.length === 0) await runForeground()
else if (command === 'version' || command === '--version') console.log(version)
else if (['help', '--help', '-h'].includes(command) || command === 'run') await help(rest)
else await runCommand()

async function help(words: readonly string[]): Promise<void> {
  const isAsked = words.every((word) => word === '--help' || word === '-h')
  if (!isAsked && command === 'help') return runCommand([...words, '--help'])
  const { getOverview } = await import('./commands.ts')
  const text = `Innkeeper, a control panel for game and application servers.

Usage: innkeeper <command>

  run      Starts the panel and its node (the role setting says which).
  version  Prints the version.
  help     Prints this. Every command has --help, too.

${getOverview()}

Settings come from the environment (INNKEEPER_…) and the configuration file: see docs/configuration.md.`
  if (isAsked) console.log(text)
  else console.error(text)
  process.exitCode = isAsked ? 0 : 2
}

/** Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted. */
async function runCommand(words: readonly string[] = args): Promise<void> {
  const { dispatch } = await import('./commands.ts')
  const { getTerminal } = await import('./command/terminal.ts')
  const context = () => {
    const config = readConfig(process.env, process.cwd())
    const { stdin: input, stdout: output, stderr: questions } = process
    const log = openLog(config.logLevel === 'info' ? 'warn' : config.logLevel, output.isTTY === true, 'errors')
    const exit = (code: number) => process.exit(code)
    const onInterrupt = (listener: () => void) => {
      process.once('SIGINT', listener)
      return () => void process.off('SIGINT', listener)
    }
    return { config, version, log, terminal: getTerminal({ input, output, questions }), exit, onInterrupt }
  }
  try {
    await dispatch(words, context, console.log)
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    console.error(errorText(error))
    process.exitCode = name === 'UsageError' ? 2 : name === 'CanceledError' ? 130 : 1
  }
  // An unfinished input must not keep the process running.
  process.stdin.destroy()
}

async function runForeground(): Promise<void> {
  let config: Config | undefined
  try {
    config = readConfig(process.env, process.cwd())
    const log = openLog(config.logLevel, process.stdout.isTTY === true)
    logUnhandledRejections({ events: process, log })
    // Imported after the compile cache is enabled, so that later starts are faster.
    enableCompileCache(`${config.dataDir}/cache/compiled`)
    const { run } = await import('./run.ts')
    const innkeeper = await run(config, version, log, [...process.execArgv, process.argv[1] ?? ''])
    // Errors of a closed terminal must not prevent an orderly shutdown.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
    const print = (text: string) => void process.stdout.write(text)
    shutDownOnSignals(
      {
        stopServers: (progress) => innkeeper.stopServers(progress),
        serverNames: (ids) => innkeeper.serverNames(ids),
        close: () => innkeeper.close(),
      },
      { events: process, log, exit: (code) => process.exit(code), print },
    )
    process.stdout.write(welcome(innkeeper, config.role === 'node' ? config.nodeHost : config.host))
    flushCompileCache()
  } catch (error) {
    console.error(errorText(error, config?.role))
    process.exit(1)
  }
}

function welcome({ url, setupCode }: Pick<Innkeeper, 'url' | 'setupCode'>, host: string): string {
  const lines = [`Innkeeper ${version} is at ${url}${isOnAllAddresses(host) ? ' (listens on all addresses)' : ''}`]
  if (setupCode !== undefined)
    lines.push('Create the first administrator there with this setup code:', `  ${setupCode}`)
  return `\n${lines.join('\n')}\n\n`
}

/** The message of an error, with advice. */
function errorText(error: unknown, role: Config['role'] = 'all'): string {
  if (error instanceof ConfigError) return error.message
  if (!(error instanceof Error)) return String(error)
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  const portSetting = role === 'node' ? 'INNKEEPER_NODE_PORT' : 'INNKEEPER_PORT'
  if (code === 'EADDRINUSE') return `Port ${port} is already in use. Choose another one with ${portSetting}.`
  if (code === 'EACCES' && port !== undefined) return `Port ${port} of ${address} may not be used by this user.`
  if (error.name === 'PendingMigrationsError') return `${error.message} Run innkeeper db migrate first.`
  if (error.name === 'DatabaseNotAvailable')
    return `${error.message} ${error.cause instanceof Error ? errorText(error.cause) : ''}`.trim()
  return errorsWithMessage.includes(error.name) ? error.message : (error.stack ?? error.message)
}
