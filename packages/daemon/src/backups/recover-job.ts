import { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import type { Logger } from 'pino'
import type { Registry } from '../servers/registry.ts'
import type { Server } from '../servers/server.ts'
import { sendCommands } from './create-backup.ts'
import type { JobMarker, JobMarkers } from './jobs/job-markers.ts'
import type { JobQueue } from './jobs/job-queue.ts'
import { refuseStarts, startServerAgain } from './restore-backup.ts'

interface Deps {
  readonly markers: JobMarkers
  readonly queue: Pick<JobQueue, 'addInterrupted'>
  readonly servers: Pick<Registry, 'find'>
  readonly log: Logger
}

/** Undoes or completes the jobs that an earlier daemon did not end, and lists them. */
export async function recoverJobs({ markers, queue, servers, log }: Deps): Promise<void> {
  for (const marker of await markers.all()) {
    queue.addInterrupted(marker)
    const server = servers.find(marker.server)
    if (!server || (await recoverJob(server, marker, log))) await markers.remove(marker.id)
  }
}

const jobNames = { create: 'backup', restore: 'restore', verify: 'verification', copy: 'copy of backups' } as const

/**
 * Undoes or completes a job that an earlier daemon did not end. Returns false when files of the server are missing; it
 * cannot be started then.
 */
export async function recoverJob(server: Server, marker: JobMarker, log: Logger): Promise<boolean> {
  const { type, after = [], isFrozen, startAgain, replacing } = marker
  server.console.say(`A ${jobNames[type]} was interrupted by a restart of Innkeeper`)
  if (isFrozen) await server.thaw()
  if (after.length > 0) whenStateKnown(server, () => sendCommands(server, after))
  if (replacing !== undefined && !(await finishRestore(server, marker, log))) return false
  if (startAgain) whenStateKnown(server, () => startServerAgain(server))
  return true
}

async function finishRestore(server: Server, { replacing = '', ...marker }: JobMarker, log: Logger): Promise<boolean> {
  try {
    await using files = await server.openFiles()
    const isDone = (await files.finishReplacements()).get(replacing) === 'done'
    if (isDone && marker.definition !== undefined) await restoreDefinition(server, marker, log)
    server.console.say(
      isDone
        ? 'The restore was completed: the files are those of the backup'
        : 'The restore was undone: the files are those from before it',
    )
    return true
  } catch (error) {
    log.error({ err: error, server: server.id }, 'an interrupted restore could not be finished')
    refuseStarts(server, error)
    return false
  }
}

async function restoreDefinition(
  server: Server,
  { definition, userId }: Pick<JobMarker, 'definition' | 'userId'>,
  log: Logger,
): Promise<void> {
  try {
    await server.definition.replace(ServerDefinition.parse(definition), userId)
  } catch (error) {
    log.error({ err: error, server: server.id }, 'the definition of an interrupted restore could not be set')
    server.console.say('The definition of the backup was not restored. Restore the backup again to restore it')
  }
}

/** Calls back when it is known whether the server runs: Docker Engine may respond later. */
function whenStateKnown(server: Server, act: () => void): void {
  if (!server.status.isInDoubt) {
    act()
    return
  }
  const unsubscribe = server.onStatus(({ isInDoubt }) => {
    if (isInDoubt) return
    unsubscribe()
    act()
  })
}
