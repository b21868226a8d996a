import { errorMessage } from '@innkeeper/contract/errors/error-message'
import { locateRestic } from '@innkeeper/daemon/backups/storage/locate-restic'
import { Engine, engineSockets } from '@innkeeper/daemon/environments/docker/engine'
import { inspectDatabase } from '@innkeeper/panel/database/database'
import { galeraLockWaitSeconds, maxGaleraLockWaitSeconds } from '@innkeeper/panel/database/galera'
import { checkMail } from '@innkeeper/panel/mail/mail-check'
import type { Logger } from 'pino'
import { type Check, type CheckResult, getResults } from './checks.ts'

export function dockerCheck(sockets: readonly string[] = engineSockets): Check {
  const name = 'docker'
  const { ok, warning } = getResults(name)
  return {
    name,
    async run() {
      const quiet = { info: () => {}, warn: () => {} }
      const engine = new Engine({ sockets, onAvailable: async () => {}, log: quiet })
      try {
        if (await engine.probe())
          return ok(`${engine.isPodman ? 'Podman' : 'Docker'} responds at ${engine.socketPath}.`)
      } finally {
        await engine.close()
      }
      const message = 'Neither Docker nor Podman responds: servers in containers cannot run.'
      return warning(message, 'Install or start it if you need it: see docs/docker.md.')
    },
  }
}

export function resticCheck(program: string, path: string): Check {
  const name = 'restic'
  const { ok, warning } = getResults(name)
  return {
    name,
    async run() {
      try {
        const { version } = await locateRestic(program, path)
        return ok(version)
      } catch (error) {
        const message = `Servers cannot be backed up: ${errorMessage(error)}`
        return warning(message, 'Install it, for example with: apt-get install restic')
      }
    },
  }
}

export function databaseCheck(url: string): Check {
  const name = 'database'
  const { ok, warning, failed } = getResults(name)
  return {
    name,
    async run() {
      const migrations = await inspectDatabase(url).catch((error: unknown) => unusable(error))
      if ('state' in migrations) return migrations
      const { applied, pending } = migrations
      if (applied.length === 0) return warning('There is no database yet.', 'The first start creates it.')
      if (pending.length === 0) return await lockWait()
      const message = 'The database responds, and is of an older version.'
      return warning(message, 'The next start migrates it: see innkeeper upgrade --check.')
    },
  }

  async function lockWait(): Promise<CheckResult> {
    const seconds = await galeraLockWaitSeconds(url)
    if (seconds === undefined || seconds <= maxGaleraLockWaitSeconds)
      return ok('The database responds and is up to date.')
    const message = `A conflict of writes can stop the Galera cluster for ${seconds} seconds.`
    return warning(message, 'Set innodb_lock_wait_timeout = 3: see docs/several-panels.md.')
  }

  function unusable(error: unknown): CheckResult {
    const cause = error instanceof Error && error.cause !== undefined ? ` ${errorMessage(error.cause)}` : ''
    const advice = 'Start the database server, or correct INNKEEPER_DATABASE_URL: see docs/troubleshooting.md.'
    return failed(`${errorMessage(error)}${cause}`, advice)
  }
}

interface MailCheckOptions {
  readonly databaseUrl: string
  readonly log: Logger
  readonly smtpTimeoutMs?: number
}

export function mailCheck(options: MailCheckOptions): Check {
  const name = 'mail'
  const { ok, warning, failed } = getResults(name)
  return {
    name,
    async run(signal) {
      const advice = 'Set it up on the Settings page, which can send a test mail.'
      const found = await checkMail({ ...options, signal })
      switch (found.status) {
        case 'unknown':
          return warning('Unknown, because there is no database.')
        case 'notConfigured':
          return warning('No mail can be sent: it is not set up.', advice)
        case 'notChecked':
          return ok(`Mail is sent through ${found.provider}. Send a test mail on the Settings page.`)
        case 'reachable':
          return ok('The mail server responds and accepts the credentials.')
        case 'failed':
          return failed(
            `The mail server cannot be used: ${found.reason}`,
            'Correct the mail settings on the Settings page, or start the mail server.',
          )
      }
    },
  }
}
