import { Definition, type Template } from '@innkeeper/contract/definitions/definition'
import { validateDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { putData, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { validateUse } from '@innkeeper/contract/definitions/value-uses'
import { getText, type VariableValue } from '@innkeeper/contract/definitions/variables'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { changeServerTags, deleteServer } from '@innkeeper/contract/servers/servers'
import { misplacedField, normalized, withSettings } from './definition-patch.ts'
import { differences } from './differences.ts'
import { getServerEntry } from './export-manifest.ts'
import type { KnownServer } from './panel-state.ts'
import type { PlanBuilder, PlanInput, PlanStep } from './plan.ts'
import { taskSteps, userSteps } from './plan-server-parts.ts'
import { getProblems } from './read-manifest.ts'
import { type ManifestServer, runFlags } from './schema.ts'
import { withSecrets } from './secrets.ts'

type Templates = ReadonlyMap<string, Template>

export function planServers(input: PlanInput, templates: Templates, plan: PlanBuilder): void {
  const { manifest, state, prune } = input
  for (const [name, entry] of Object.entries(manifest.servers ?? {})) {
    const server = state.servers.get(name)
    if (server) planChange(input, server, entry, plan)
    else planCreation(input, name, { entry, templates }, plan)
  }
  if (!prune || !manifest.servers) return
  for (const { id, name, node } of state.otherServers) {
    requireOnline(input, node, ['servers'], plan)
    plan.remove(`server ${name}`, [`node: ${node}`, 'with all its files'], (client) =>
      client.call(deleteServer, { params: { id }, query: {} }),
    )
  }
}

function planChange(input: PlanInput, server: KnownServer, manifestServer: ManifestServer, plan: PlanBuilder): void {
  const path = ['servers', server.name]
  const { definition, id } = server
  const entry = {
    ...manifestServer,
    ...restored(manifestServer, { ...getServerEntry(server, input.state), definition: { ...definition } }),
  }
  if (entry.node !== undefined && entry.node !== server.node)
    plan.problem([...path, 'node'], `The server is on the node ${server.node}: servers do not change their node.`)
  if (entry.template !== undefined && server.template !== undefined && entry.template !== server.template)
    plan.problem([...path, 'template'], `The server is from the template ${server.template}, which cannot be changed.`)
  const after = definitionAfter(definition, entry, { path, before: definition }, plan)
  const values = after && changedValues(after, entry.variables ?? {}, path, plan)
  if (!after || !values) return

  let version = server.version
  const steps: PlanStep[] = []
  const lines = differences(normalized(definition), after).map(fieldLine)
  if (lines.length > 0) {
    steps.push({
      label: 'definition',
      details: lines,
      run: async (client) => {
        version = (await client.call(putDefinition, { params: { id }, body: after }, { version })).version
      },
    })
  }
  const valueLines = Object.entries(values).flatMap(([name, { value }]) =>
    differences(after.data[name]?.value, value, ['variables', name]),
  )
  if (valueLines.length > 0) {
    steps.push({
      label: 'variables',
      details: valueLines,
      run: (client) => client.call(putData, { params: { id }, body: { data: values } }, { version }),
    })
  }
  if (entry.tags) steps.push(...tagSteps(() => id, server.tags, entry.tags))
  steps.push(...userSteps(input, () => id, server, entry.users))
  steps.push(...taskSteps(input, () => id, server, { tasks: entry.tasks, path }, plan))
  plan.add('change', `server ${server.name}`, steps)
}

interface NewEntry {
  readonly entry: ManifestServer
  readonly templates: Templates
}

function planCreation(
  input: PlanInput,
  name: string,
  { entry: manifestServer, templates }: NewEntry,
  plan: PlanBuilder,
): void {
  const path = ['servers', name]
  const template = manifestServer.template === undefined ? undefined : templates.get(manifestServer.template)
  if (manifestServer.template !== undefined && !template) {
    plan.problem([...path, 'template'], `There is no template ${manifestServer.template}.`)
    return
  }
  const nodeName = manifestServer.node ?? input.state.localNode
  const node = input.state.nodes.find((candidate) => candidate.name === nodeName)
  if (!node) {
    const names = input.state.nodes.map((candidate) => candidate.name).join(', ')
    plan.problem([...path, 'node'], `There is no node ${nodeName ?? ''}; there are: ${names}.`)
    return
  }
  requireOnline(input, node.name, [...path, 'node'], plan)
  const { readme: _, name: __, ...base } = template ?? { type: '', data: {}, run: {} }
  const entry = {
    ...manifestServer,
    ...restored(manifestServer, { definition: base, environment: base.environment ?? undefined }),
  }
  const definition = definitionAfter(base, entry, { path, before: undefined }, plan)
  const values = definition && changedValues(definition, entry.variables ?? {}, path, plan)
  if (!definition || !values) return
  const data = Object.entries(definition.data).map(([variable, known]) => [variable, { ...known, ...values[variable] }])
  const tasks = entry.tasks ? {} : definition.tasks
  const body = { ...definition, data: Object.fromEntries(data) as Definition['data'], tasks, name, node: node.id }
  let id = ''
  const create: PlanStep = {
    label: '',
    details: [
      `node: ${node.name}`,
      ...(manifestServer.template === undefined ? [] : [`template: ${manifestServer.template}`]),
      ...(template ? differences(normalized(base), definition).map(fieldLine) : []),
      ...Object.entries(values).flatMap(([variable, { value }]) =>
        differences(undefined, value, ['variables', variable]).map((line) => line.replace(': nothing →', ':')),
      ),
    ],
    run: async (client) => {
      const newServer = {
        ...body,
        ...(manifestServer.template === undefined ? {} : { template: manifestServer.template }),
      }
      id = (await client.call(createServer, { body: newServer })).body.id
    },
  }
  const none = { tasks: {}, users: [] }
  plan.add('create', `server ${name}`, [
    create,
    ...(entry.tags ? tagSteps(() => id, [], entry.tags) : []),
    ...userSteps(input, () => id, none, entry.users),
    ...taskSteps(input, () => id, none, { tasks: entry.tasks, path }, plan),
  ])
}

/** Servers are created and deleted on their node. */
function requireOnline({ state }: PlanInput, node: string, path: readonly string[], plan: PlanBuilder): void {
  const isOffline = state.nodes.some(({ name, isOnline }) => name === node && !isOnline)
  if (isOffline) plan.problem(path, `The node ${node} is offline.`)
}

/** The parts of an entry whose secrets are replaced by the current values. */
function restored(entry: ManifestServer, current: ManifestServer): Pick<ManifestServer, 'environment' | 'definition'> {
  const { environment, definition } = entry
  const withCurrent = <T>(value: T, known: unknown): T => withSecrets(value, known) as T
  return {
    ...(environment ? { environment: withCurrent(environment, current.environment) } : {}),
    ...(definition ? { definition: withCurrent(definition, current.definition) } : {}),
  }
}

/** The definition with the settings of an entry; `undefined` when they are not valid. */
function definitionAfter(
  definition: Readonly<Record<string, unknown>>,
  entry: ManifestServer,
  { path, before }: { readonly path: readonly string[]; readonly before: Definition | undefined },
  plan: PlanBuilder,
): Definition | undefined {
  const misplaced = misplacedField(entry.definition ?? {})
  if (misplaced) {
    plan.problem([...path, 'definition', ...misplaced.path], misplaced.message)
    return undefined
  }
  const changed = withSettings(definition, entry)
  const read = Definition.safeParse(changed, { reportInput: true })
  if (!read.success) {
    plan.problems.push(
      ...getProblems(read.error, []).map((problem) => ({ ...problem, path: fieldPath(problem.path, path) })),
    )
    return undefined
  }
  const after = normalized(read.data)
  // What is stored already may have problems, and stays.
  const isChanged = !before || differences(normalized(before), after).length > 0
  const problem = isChanged ? validateDefinition(after) : undefined
  if (!problem) return after
  const field = typeof problem.metadata.field === 'string' ? problem.metadata.field.split('.') : []
  plan.problem(fieldPath(field, path), `${problem.message}.`)
  return undefined
}

/** The path in the file of a field of a definition. */
function fieldPath(field: readonly (string | number)[], server: readonly string[]): readonly (string | number)[] {
  return field[0] === 'environment' ? [...server, ...field] : [...server, 'definition', ...field]
}

type Values = Readonly<Record<string, { readonly value: VariableValue }>>

/** The values of an entry that differ; `undefined` when one is not valid. */
function changedValues(
  definition: Definition,
  variables: NonNullable<ManifestServer['variables']>,
  path: readonly string[],
  plan: PlanBuilder,
): Values | undefined {
  const before = plan.problems.length
  const changed: Record<string, { value: VariableValue }> = {}
  for (const [name, value] of Object.entries(variables)) {
    const variable = Object.hasOwn(definition.data, name) ? definition.data[name] : undefined
    if (!variable) plan.problem([...path, 'variables', name], `There is no variable '${name}'.`)
    if (!variable || typeof value === 'symbol' || getText(value) === getText(variable.value)) continue
    const problem = validateVariable(name, variable, value) ?? validateUse(definition, name, variable, value)
    if (problem) plan.problem([...path, 'variables', name], `${problem.message}.`)
    changed[name] = { value }
  }
  return plan.problems.length > before ? undefined : changed
}

function tagSteps(id: () => string, before: readonly string[], tags: readonly string[]): readonly PlanStep[] {
  const sorted = (list: readonly string[]) => JSON.stringify(list.toSorted())
  if (sorted(before) === sorted(tags)) return []
  return [
    {
      label: 'tags',
      details: [`tags: ${before.join(', ') || 'nothing'} → ${tags.join(', ') || 'nothing'}`],
      // Tags that were added since the plan was made stay.
      run: async (client) => {
        const body = {
          add: tags.filter((tag) => !before.includes(tag)),
          remove: before.filter((tag) => !tags.includes(tag)),
        }
        await client.call(changeServerTags, { params: { id: id() }, body })
      },
    },
  ]
}

/** Names fields as in the file. */
function fieldLine(line: string): string {
  const own = line
    .replace(new RegExp(`^run\\.(${runFlags.join('|')}):`), '$1:')
    .replace(/^environment\.limits\./, 'limits.')
  return own === line && !line.startsWith('environment') ? `definition.${line}` : own
}
