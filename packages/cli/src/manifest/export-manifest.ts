import { serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { Task } from '@innkeeper/contract/servers/tasks'
import { Document, Scalar, visit } from 'yaml'
import { definitionPatch, getSettings, normalized } from './definition-patch.ts'
import { emailKey, type KnownServer, type KnownTemplate, type PanelState } from './panel-state.ts'
import { type Manifest, type ManifestServer, manifestVersion } from './schema.ts'
import { secretTag, withoutSecrets } from './secrets.ts'

const heading = '# Templates, users and servers of Innkeeper, for innkeeper apply: see docs/servers-as-code.md.'

/** Everything that a file contains. The order depends on the content only. */
export function getManifest(state: PanelState): Manifest {
  const templates = [...state.templates].filter(([, { isOfficial }]) => !isOfficial)
  const users = [...state.users.values()].filter(({ isEmailConfirmed }) => isEmailConfirmed)
  return {
    version: manifestVersion,
    templates: byName(templates.map(([name, known]) => [name, getTemplate(known)])),
    users: byName(
      users.map(({ email, username, permissions }) => [email, { username, permissions: [...permissions] }]),
    ),
    servers: byName([...state.servers].map(([name, server]) => [name, getServerEntry(server, state)])),
  }
}

/** A template without its name. */
export function getTemplate({ template }: KnownTemplate): Record<string, unknown> {
  const { name: _, ...rest } = normalized(template)
  return rest
}

/** A server as in the file. */
export function getServerEntry(server: KnownServer, state: PanelState): ManifestServer {
  const { definition, template: templateName, node, tags } = server
  const template = templateName === undefined ? undefined : state.templates.get(templateName)?.template
  const patch = definitionPatch(template, definition)
  const values = Object.entries(definition.data).flatMap(([name, { value }]) =>
    value === undefined || value === null ? [] : [[name, value] as const],
  )
  return {
    node,
    ...(templateName === undefined ? {} : { template: templateName }),
    tags: [...tags],
    ...getSettings(definition),
    variables: byName(values),
    users: getPermissions(server, state),
    tasks: getTasks(server).map(({ task }) => ({ ...task })),
    ...(patch ? { definition: patch } : {}),
  }
}

/** Permissions by address, of users with a confirmed one. */
export function getPermissions({ users }: KnownServer, state: PanelState): NonNullable<ManifestServer['users']> {
  const known = users.filter(({ email }) => state.users.get(emailKey(email))?.isEmailConfirmed)
  return byName(known.map((user) => [user.email, serverPermissionNames.filter((name) => user[name] === true)]))
}

/** The tasks of a server by name, with their IDs. */
export function getTasks({ tasks }: Pick<KnownServer, 'tasks'>) {
  return Object.entries(tasks)
    .map(([id, view]) => ({ id, version: view.version, task: getTask(view) }))
    .toSorted((a, b) => compare(taskKey(a.task), taskKey(b.task)))
}

export type ManifestTask = Pick<Task, 'name' | 'operations'> & Partial<Task>

/** A task without what the node adds, and without empty fields. */
export function getTask(input: unknown): ManifestTask {
  const { name, cronSchedule, timezone, catchUp, triggers, operations } = Task.parse(input)
  return {
    name,
    ...(cronSchedule === null ? {} : { cronSchedule }),
    ...(timezone === null ? {} : { timezone }),
    ...(catchUp == null ? {} : { catchUp }),
    ...(triggers == null || triggers.length === 0 ? {} : { triggers }),
    operations,
  }
}

const taskKey = (task: ManifestTask): string => `${task.name}\n${JSON.stringify(task)}`

/** The text of a file; secrets are left out unless `secrets`. */
export function textOfManifest(manifest: Manifest, { secrets }: { readonly secrets: boolean }): string {
  const content = secrets ? manifest : withoutSecrets(manifest)
  const document = new Document(content, { customTags: [secretTag], aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && scalar.value.search(unprintable) >= 0) scalar.type = Scalar.QUOTE_DOUBLE
    },
  })
  const text = document.toString({ lineWidth: 0 }).replace(unprintable, getEscape)
  return `${heading}\n${text}`
}

/** Characters that a terminal does not print as they are; in double quotes they can be escaped. */
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const getEscape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

function byName<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => compare(a, b)))
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
