import {
  type GlobalPermission,
  scopeOfGlobalPermission,
  serverPermissionNames,
} from '@innkeeper/contract/api/permissions'
import { isLimitVariable, type LimitVariable } from '@innkeeper/contract/definitions/definition'
import { VariableValue } from '@innkeeper/contract/definitions/variables'
import {
  Email,
  isSafeKey,
  ServerName,
  ServerTags,
  TemplateName,
  Username,
  VariableName,
} from '@innkeeper/contract/text/names'
import { z } from 'zod'
import { secretPlaceholder } from './secrets.ts'

/** The version of the format. */
export const manifestVersion = 1

export const globalPermissionNames = Object.keys(scopeOfGlobalPermission) as readonly GlobalPermission[]

/** A part of a definition: validated after the placeholders of secrets are replaced. */
const Part = z.record(z.string().refine(isSafeKey), z.unknown())

const Secret = z.custom<typeof secretPlaceholder>((value) => value === secretPlaceholder)

/** More than 0, or a variable: a missing limit is unlimited. */
const Limit = z.union([z.number().positive(), z.custom<LimitVariable>(isLimitVariable)]).optional()

export const ManifestUser = z.strictObject({
  username: Username,
  permissions: z.array(z.enum(globalPermissionNames)).optional(),
})
export type ManifestUser = z.infer<typeof ManifestUser>

/** What is absent stays as it is; in a new server it is that of the template. */
export const ManifestServer = z.strictObject({
  /** Name of its node. Default: the local node. */
  node: z.string().optional(),
  template: z.optional(TemplateName),
  tags: z.optional(ServerTags),
  environment: Part.optional(),
  limits: z.strictObject({ memory: Limit, cpu: Limit, processes: Limit, disk: Limit }).optional(),
  autostart: z.boolean().optional(),
  autorestart: z.boolean().optional(),
  autorecover: z.boolean().optional(),
  restartWhenNotResponding: z.boolean().optional(),
  disabled: z.boolean().optional(),
  variables: z.record(VariableName, z.union([VariableValue, Secret])).optional(),
  /** Permissions by address. */
  users: z.record(Email, z.array(z.enum(serverPermissionNames))).optional(),
  tasks: z.array(Part).optional(),
  /** The parts of its definition that differ from the template; `null` removes one. */
  definition: Part.optional(),
})
export type ManifestServer = z.infer<typeof ManifestServer>

/** Templates, users and servers of a panel, as a file. */
export const Manifest = z.strictObject({
  version: z.literal(manifestVersion),
  templates: z.record(TemplateName, Part).optional(),
  users: z.record(Email, ManifestUser).optional(),
  servers: z.record(ServerName, ManifestServer).optional(),
})
export type Manifest = z.infer<typeof Manifest>

/** Settings of a start, which are fields of their own in the file. */
export const runFlags = ['autostart', 'autorestart', 'autorecover', 'restartWhenNotResponding', 'disabled'] as const
