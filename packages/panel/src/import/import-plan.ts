import type { PanelScope, ServerPermission } from '@innkeeper/contract/api/permissions'
import type { Template } from '@innkeeper/contract/definitions/definition'
import type { PortRange } from '@innkeeper/contract/nodes/node-ports'
import type { Language } from '@innkeeper/contract/text/languages'

/** What an import found in another panel, in our terms. Keys are the identifiers of the other panel. */
export interface ImportPlan {
  /** Name and version of the other panel. */
  readonly source: string
  readonly users: readonly ImportedUser[]
  readonly nodes: readonly ImportedNode[]
  readonly templates: readonly ImportedTemplate[]
  readonly servers: readonly ImportedServer[]
  readonly clients: readonly ImportedClient[]
  /** Path of the private key by which SFTP clients know this machine. */
  readonly sftpHostKey?: string | undefined
  /** Port ranges for new servers. */
  readonly ports?: readonly ImportedPorts[]
  /** Rows and files found, by kind, including those that cannot be carried over. */
  readonly found: Readonly<Partial<Record<ImportKind, number>>>
  /** What cannot be carried over, each with its name and the reason. */
  readonly notes: readonly string[]
}

/** The parts that a source may not have. */
export const emptyPlan = { users: [], nodes: [], templates: [], servers: [], clients: [] } as const

export const importKinds = [
  'users',
  'permissions',
  'nodes',
  'templates',
  'servers',
  'variables',
  'tasks',
  'clients',
] as const
export type ImportKind = (typeof importKinds)[number]

export interface ImportedUser {
  readonly key: string
  readonly username: string
  readonly email: string
  /** bcrypt or argon2id; without one the user needs a new password. */
  readonly passwordHash: string | undefined
  /** Base32, of an enabled second factor. */
  readonly otpSecret?: string | undefined
  readonly scopes: readonly PanelScope[]
  readonly language?: Language | undefined
}

/** A node on another machine. */
export interface ImportedNode {
  readonly key: string
  readonly name: string
  readonly publicHost: string
  readonly publicPort: number
  readonly privateHost: string
  readonly privatePort: number
  readonly sftpPort: number
}

/** The port ranges of a node. */
export interface ImportedPorts {
  /** Key of the node; `undefined` for the local node. */
  readonly node: string | undefined
  readonly ranges: readonly PortRange[]
}

export interface ImportedTemplate {
  readonly name: string
  readonly template: Template
}

export interface ImportedServer {
  /** Eight hex digits; the same in every run, so that a repeated import recognizes the server. */
  readonly id: string
  readonly name: string
  /** Key of its node; `undefined` for the local node. */
  readonly node: string | undefined
  /** With variables and tasks; `undefined` when it is on another machine. */
  readonly definition: Readonly<Record<string, unknown>> | undefined
  readonly template?: string | undefined
  readonly type: string
  readonly ip: string
  readonly port: number
  /** Why it is suspended; missing unless it is. */
  readonly suspended?: string | undefined
  readonly users: readonly { readonly key: string; readonly permissions: readonly ServerPermission[] }[]
  /** Folder of its files on this machine. */
  readonly files: string | undefined
}

export interface ImportedClient {
  /** Its client ID. */
  readonly id: string
  /** Key of its user. */
  readonly user: string
  /** ID of the only server that it has access to. */
  readonly server: string | undefined
  readonly name: string
  readonly description: string
  /** bcrypt hash. */
  readonly secretHash: string
}
