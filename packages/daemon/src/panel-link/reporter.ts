import type { BackupRetention } from '@innkeeper/contract/backups/backup-retention'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { NodeAlerts } from '@innkeeper/contract/node-link/node-alerts'
import type { NodeEvent } from '@innkeeper/contract/node-link/node-events'
import { protocol, reportNode, understandsProtocol } from '@innkeeper/contract/node-link/node-to-panel'
import type { NodeFeatures } from '@innkeeper/contract/nodes/nodes'
import type { ServerSuspension } from '@innkeeper/contract/servers/suspension'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { isRefusal } from '../errors/refusals.ts'
import type { MachineUsage } from '../proc/machine-usage.ts'
import type { Registry } from '../servers/registry.ts'
import type { Suspensions } from '../servers/suspensions.ts'
import type { FileChanges } from './file-changes.ts'
import type { NodeEvents } from './node-events.ts'
import type { PanelKeys } from './panel-keys.ts'
import type { PanelLink } from './panel-link.ts'
import type { PanelTunnels } from './panel-tunnels.ts'

/** Sends alerts while the panel does not accept reports. */
interface AlertsOfNode {
  /** The version of its channels. */
  readonly version: string
  /** A report was accepted. `channels` are set when they have changed. */
  accepted(channels: NodeAlerts | undefined): Promise<void>
  /** The panel does not know this node. */
  rejected(): Promise<void>
}

interface Deps {
  readonly panel: Pick<PanelLink, 'request'>
  readonly servers: Pick<Registry, 'servers' | 'find' | 'setSuspension' | 'onChange'>
  readonly suspensions: Pick<Suspensions, 'all' | 'version'>
  readonly features: () => NodeFeatures
  readonly machine: MachineUsage
  readonly keys: Pick<PanelKeys, 'known' | 'accept'>
  readonly events: Pick<NodeEvents, 'pending' | 'beginReport' | 'endReport' | 'onAdded'>
  readonly fileChanges: Pick<FileChanges, 'due' | 'accepted'>
  /** Absent when this node never sends alerts itself. */
  readonly alerts?: AlertsOfNode | undefined
  /** Receives the default retention from the panel. */
  readonly retention: {
    setPanelDefault(retention: BackupRetention | undefined, source: 'node' | 'panel' | undefined): Promise<void>
  }
  /** Absent when this node opens none. */
  readonly tunnels?: Pick<PanelTunnels, 'open' | 'onOpened'> | undefined
  readonly log: Logger
}

/**
 * Reports the state of this node and its servers to the panel: periodically, and soon after a server's state has
 * changed. While the panel is unreachable, everything continues; the next report has the current state.
 */
export class Reporter {
  readonly #deps: Deps
  readonly #stopWatching: () => void
  readonly #reporting: PeriodicJob
  /** The last error, so that it is logged once. */
  #lastError: string | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#reporting = new PeriodicJob({
      everyMs: limits.nodeReportEveryMs,
      run: (signal) => this.#send(signal),
      onError: (err) => deps.log.error({ err }, 'failed to record a report to the panel'),
    })
    const reportSoon = () => this.#reporting.wake()
    const stopWatching = [
      deps.servers.onChange(reportSoon),
      deps.events.onAdded(reportSoon),
      ...(deps.tunnels ? [deps.tunnels.onOpened(reportSoon)] : []),
    ]
    this.#stopWatching = () => {
      for (const stop of stopWatching) stop()
    }
    void this.#reporting.start().run()
  }

  async close(): Promise<void> {
    this.#stopWatching()
    await this.#reporting.close()
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { panel, servers, suspensions, features, machine, keys, alerts, retention, tunnels, log } = this.#deps
    const { events, fileChanges } = this.#deps
    const { version } = suspensions
    const reported = events.beginReport()
    const changes = fileChanges.due()
    let accepted: NodeEvent[] = []
    try {
      const body = {
        protocol,
        atMs: Date.now(),
        features: features(),
        machine: await machine.sample(),
        servers: servers.servers.map((server) => server.usage),
        keys: [...keys.known],
        events: reported,
        fileChanges: changes,
        suspensions: [...suspensions.all],
        ...(alerts && { alerts: alerts.version }),
      }
      const response = await panel.request(reportNode, { body })
      // First: a suspended server must not run, whatever else fails. What the panel has sent meanwhile is newer.
      if (suspensions.version === version) await this.#suspend(response.suspensions ?? [])
      if (response.needsTunnel) tunnels?.open()
      await keys.accept(response.keys ?? [])
      // Before the accepted events are forgotten: the channels know the alerts that these have begun.
      await alerts?.accepted(response.alerts)
      accepted = reported.slice(0, response.events)
      const recorded = changes.slice(0, response.fileChanges ?? 0)
      await fileChanges.accepted(recorded)
      if (recorded.length === limits.fileChangesPerReport) this.#reporting.wake()
      await retention.setPanelDefault(response.backupRetention, response.backupRetentionSource)
      if (!understandsProtocol(response.protocol)) throw new Refusal('ErrServiceNotAvailable')
      if (this.#lastError !== undefined) log.info('the panel receives the reports of this node again')
      this.#lastError = undefined
    } catch (cause) {
      await this.#handleError(cause, signal)
    } finally {
      await events.endReport(accepted)
    }
    if (accepted.length > 0 && events.pending.length > 0) this.#reporting.wake()
  }

  async #suspend(changes: readonly ServerSuspension[]): Promise<void> {
    const { servers } = this.#deps
    for (const { server, suspension } of changes)
      if (servers.find(server)) await servers.setSuspension(server, suspension)
  }

  async #handleError(cause: unknown, signal: AbortSignal): Promise<void> {
    const { alerts, log } = this.#deps
    if (cause instanceof Refusal && isRefusal(cause.cause, 'ErrTokenInvalid'))
      await alerts?.rejected().catch((err: unknown) => log.error({ err }, 'failed to remove the channels for alerts'))
    if (signal.aborted) return
    const code = cause instanceof Refusal ? cause.code : 'ErrUnknownError'
    if (code === this.#lastError) return
    this.#lastError = code
    const skew = cause instanceof Refusal && cause.code === 'ErrClockSkew' ? Number(cause.metadata.skewMs) : undefined
    if (skew === undefined) log.warn({ err: cause }, 'failed to report to the panel')
    else log.error(`the clock of this host is ${Math.round(skew / 1000)} s ahead of the clock of the panel: correct it`)
  }
}
