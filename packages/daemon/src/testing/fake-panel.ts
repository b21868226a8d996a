import type { FileChange } from '@innkeeper/contract/activity/file-changes'
import type { RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { BackupRetention } from '@innkeeper/contract/backups/backup-retention'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  getSftpPermissions,
  getTaskPermissions,
  NodeReport,
  reportNode,
  SftpGrant,
  type SftpLogin,
  sftpLogin,
} from '@innkeeper/contract/node-link/node-to-panel'
import { parseSftpUser } from '@innkeeper/contract/node-link/sftp'
import type { ServerSuspension } from '@innkeeper/contract/servers/suspension'
import type { EndpointForNodes, PanelLink } from '../panel-link/panel-link.ts'

/** A user of the fake panel. */
export interface FakeUser {
  readonly id: number
  readonly email: string
  password: string
  /** With a code the password alone is not sufficient. */
  code?: string
  /** Public keys in wire format, base64. */
  readonly keys: string[]
  /** Permissions by server; none for other servers. */
  readonly permissions: Record<string, RequiredPermission[]>
}

/** A panel in memory that a test can make unreachable. */
export class FakePanel implements PanelLink {
  readonly users: FakeUser[] = []
  readonly logins: SftpLogin[] = []
  isAway = false
  /** An earlier version, which ignores changes over SFTP. */
  isOld = false
  /** From all reports. */
  readonly fileChanges: FileChange[] = []
  /** Sent in response to reports. */
  backupRetention: BackupRetention | undefined
  backupRetentionSource: 'node' | 'panel' | undefined
  suspensions: ServerSuspension[] | undefined
  /** Of the last report. */
  reportedSuspensions: readonly ServerSuspension[] | undefined
  /** When set, every login is refused because of too many attempts. */
  isThrottling = false
  /** When set, every login with the right password is refused for this reason. */
  suspendedFor: string | undefined

  addUser(given: Partial<FakeUser> & Pick<FakeUser, 'permissions'>): FakeUser {
    const id = this.users.length + 1
    const user = { id, email: `person${id}@example.org`, password: 'long enough', keys: [], ...given }
    this.users.push(user)
    return user
  }

  async request<C extends EndpointForNodes>(call: C, given: RequestOf<C>): Promise<ResponseOf<C>> {
    if (this.isAway) throw new Refusal('ErrServiceNotAvailable')
    const { body } = given as { body?: unknown }
    const answer = this.#answer(call, body)
    return call.response?.parse(answer) as ResponseOf<C>
  }

  /** Nodes cannot enrol here. */
  async requestPublic(): Promise<never> {
    throw new Refusal('ErrServiceNotAvailable')
  }

  async close(): Promise<void> {}

  #login(body: unknown): ResponseOf<typeof sftpLogin> {
    const login = sftpLogin.body.parse(body)
    this.logins.push(login)
    if (this.isThrottling) throw new Refusal('ErrTooManyRequests')
    const { email, server = '' } = parseSftpUser(login.user) ?? {}
    const user = this.users.find((one) => one.email === email)
    const permissions = user?.permissions[server]
    const shown = login.with
    const isRight = shown.method === 'key' ? user?.keys.includes(shown.key) : user?.password === shown.password
    if (!user || !isRight || !permissions?.includes('sftpServer')) throw new Refusal('ErrInvalidCredentials')
    if (this.suspendedFor !== undefined) throw new Refusal('ErrServerSuspended', { reason: this.suspendedFor })
    if (user.code !== undefined && shown.method === 'password') return { is: 'codeNeeded' }
    if (shown.method === 'passwordAndCode' && shown.code !== user.code) throw new Refusal('ErrInvalidCredentials')
    const stamp = shown.method === 'key' ? shown.key.slice(-50) : user.password
    return { is: 'granted', grant: { userId: user.id, server, stamp }, rights: permissions, username: user.email }
  }

  #answer(call: EndpointForNodes, body: unknown) {
    if (call === (reportNode as EndpointForNodes)) {
      const { backupRetention, backupRetentionSource, suspensions } = this
      const { fileChanges = [], suspensions: reported } = NodeReport.parse(body)
      this.reportedSuspensions = reported
      this.fileChanges.push(...fileChanges.filter((change) => change !== null))
      const recorded = this.isOld ? {} : { fileChanges: fileChanges.length }
      return { atMs: Date.now(), backupRetention, backupRetentionSource, suspensions, ...recorded }
    }
    if (call === (sftpLogin as EndpointForNodes)) return this.#login(body)
    return call === (getTaskPermissions as EndpointForNodes)
      ? this.#readTaskPermissions(body)
      : this.#readSftpPermissions(call, body)
  }

  #readTaskPermissions(body: unknown): ResponseOf<typeof getTaskPermissions> {
    const { people: users } = getTaskPermissions.body.parse(body)
    const held = (userId: number, server: string) =>
      this.users.find(({ id }) => id === userId)?.permissions[server] ?? null
    return { rights: users.map(({ userId, server }) => held(userId, server)) }
  }

  #readSftpPermissions(call: EndpointForNodes, body: unknown): ResponseOf<typeof getSftpPermissions> {
    if (call !== (getSftpPermissions as EndpointForNodes)) throw new Error(`${call.path} is not known here`)
    const { grants } = getSftpPermissions.body.parse(body)
    return { rights: grants.map((grant) => this.#findPermissions(SftpGrant.parse(grant))) }
  }

  #findPermissions({ userId, server, stamp }: SftpGrant): RequiredPermission[] | null {
    const user = this.users.find(({ id }) => id === userId)
    const isLive = user?.password === stamp || user?.keys.some((key) => key.endsWith(stamp))
    const permissions = isLive ? user?.permissions[server] : undefined
    return permissions?.includes('sftpServer') ? permissions : null
  }
}
