import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Confinement, Isolation } from '../isolation/isolation.ts'
import type { NodeEvents } from '../panel-link/node-events.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Registry } from '../servers/registry.ts'
import { BackupAccess } from './backup-access.ts'
import { BackupEvents } from './backup-events.ts'
import type { BackupOptions } from './backup-options.ts'
import { BackupOverview } from './backup-overview.ts'
import { BackupReader } from './backup-reader.ts'
import { FileImports } from './file-imports.ts'
import { JobMarkers } from './jobs/job-markers.ts'
import { JobQueue } from './jobs/job-queue.ts'
import { Maintenance } from './maintenance.ts'
import { PanelRetention } from './panel-retention.ts'
import { recoverJobs } from './recover-job.ts'
import { concurrentMemory } from './restore-backup.ts'
import { RetentionPolicies } from './retention-policies.ts'
import { ProofSchedule } from './schedule/proof-schedule.ts'
import { PruneSchedule } from './schedule/prune-schedule.ts'
import { allDay } from './schedule/quiet-hours.ts'
import { ServerBackups } from './server-backups.ts'
import { BackupIndexes } from './storage/backup-index.ts'
import { MissingCopies } from './targets/missing-copies.ts'
import { Repositories } from './targets/repositories.ts'
import { ServerTargets } from './targets/server-targets.ts'
import { TargetStore } from './targets/target-store.ts'
import { Targets } from './targets/targets.ts'
import { TestBoots } from './test-boots.ts'

/** Players of most games lose their connection after ten seconds and more. */
const defaultFreezeMs = 5_000

interface Deps {
  readonly dataDir: string
  readonly servers: Registry
  readonly patterns: PatternMatcher
  readonly confinement: Confinement
  readonly isolation: Pick<Isolation, 'copyOwner' | 'noCopiesReason'>
  /** Receives the ends of jobs. */
  readonly events: Pick<NodeEvents, 'add'>
  /** Where programs are looked up. */
  readonly path: string
  readonly options?: BackupOptions | undefined
  readonly log: Logger
}

/** The backups of all servers of this node, in one repository for each target. */
export interface Backups {
  readonly ofServers: ServerBackups
  readonly jobs: Pick<JobQueue, 'list' | 'get' | 'cancel' | 'cancelAll'>
  readonly reader: BackupReader
  readonly imports: FileImports
  readonly retention: RetentionPolicies
  readonly targets: Targets
  readonly missingCopies: Pick<MissingCopies, 'start'>
  readonly overview: BackupOverview
  close(): Promise<void>
}

/** Undoes what jobs of an earlier daemon left, and begins background work. */
export async function openBackups(deps: Deps): Promise<Backups> {
  const { servers, path, confinement, patterns, log, options = {} } = deps
  const { restic = 'restic', proofEveryMs = 0, proofHours = allDay, freezeMs = defaultFreezeMs } = options
  const dir = join(deps.dataDir, 'backups')
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const indexes = new BackupIndexes(join(dir, 'servers'), log)
  const markers = new JobMarkers(join(dir, 'jobs'), log)
  const testBoots = await TestBoots.open({ dataDir: deps.dataDir, isolation: deps.isolation, options })

  const store = await TargetStore.open(join(dir, 'targets.json'), log)
  const repositories = new Repositories(
    { dir, program: restic, path, confinement, targetWaitMs: options.targetWaitMs, log },
    store,
  )
  const serverTargets = new ServerTargets({ store, repositories, indexes })
  const events = new BackupEvents({ events: deps.events, indexes, serverTargets, log })
  const queue = new JobQueue({
    markers,
    onEnd: (job) => events.jobEnded(job),
    endedJobMs: options.endedJobMs,
    canRunBeside: () => testBoots.freeMemory >= concurrentMemory,
    log,
  })

  const panelRetention = await PanelRetention.open(join(dir, 'panel-retention.json'), log)
  const retention = new RetentionPolicies({ servers, indexes, queue, panel: panelRetention, keep: options.keep })
  const stored = { servers, indexes, repositories, serverTargets, queue, events, log }
  const missingCopies = new MissingCopies({ ...stored, retries: options.copyRetries })
  const prunes = await PruneSchedule.open({
    path: join(dir, 'prunes.json'),
    directory: dir,
    quietHours: proofHours,
    queue,
    log,
  })
  const shared = { patterns, confinement, testBoots, freezeMs, log }
  const access = new BackupAccess({ ...stored, shared })
  const ofServers = new ServerBackups({ ...stored, access, missingCopies, markers, retention })
  const proofs = new ProofSchedule({
    ...stored,
    everyMs: proofEveryMs,
    quietHours: proofHours,
    verify: (server, backup) => ofServers.verify(server, backup, { isBackground: true }),
  })
  const maintenance = new Maintenance({ ...stored, prunes, retention })

  await recoverJobs({ markers, queue, servers, log })
  if (await repositories.local.restic.isInitialized()) queue.requestMaintenance()
  queue.startBackground({
    maintain: (signal) => maintenance.run(signal),
    sources: [missingCopies, prunes, proofs],
    everyMs: options.dueCheckMs,
  })

  return {
    ofServers,
    jobs: queue,
    reader: new BackupReader({ access, queue }),
    imports: new FileImports({ queue, waitMs: options.importWaitMs }),
    retention,
    targets: new Targets({ ...stored, dir, path, store, prunes, missingCopies }),
    missingCopies,
    overview: new BackupOverview({ ...stored, store, proofs, prunes }),
    close: () => queue.close(),
  }
}
