import { deleteServerUser, putServerUser } from '@innkeeper/contract/accounts/server-users'
import { type ServerPermission, serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { createTask, deleteTask, putTask, Task } from '@innkeeper/contract/servers/tasks'
import { differences } from './differences.ts'
import { getTask, getTasks } from './export-manifest.ts'
import { emailKey, type KnownServer } from './panel-state.ts'
import type { PlanBuilder, PlanInput, PlanStep } from './plan.ts'
import { permissionChanges } from './plan-users.ts'
import { getProblems } from './read-manifest.ts'
import { withSecrets } from './secrets.ts'

/** Changes of the users of a server; `id` is known when the server exists. */
export function userSteps(
  { state, prune }: PlanInput,
  id: () => string,
  { users: known }: Pick<KnownServer, 'users'>,
  users: Readonly<Record<string, readonly ServerPermission[]>> | undefined,
): readonly PlanStep[] {
  if (!users) return []
  const find = (email: string) => known.find((user) => emailKey(user.email) === emailKey(email))
  const changes = Object.entries(users).flatMap(([email, permissions]): PlanStep[] => {
    const user = find(email)
    const before = user ? serverPermissionNames.filter((name) => user[name] === true) : []
    const lines = permissionChanges(before, permissions)
    if (user && lines.length === 0) return []
    const body = Object.fromEntries(serverPermissionNames.map((name) => [name, permissions.includes(name)]))
    return [
      {
        label: `user ${email}`,
        details: (user ? lines : ['access', ...lines]).map((line) => `user ${email}: ${line}`),
        run: (client) => client.call(putServerUser, { params: { id: id(), email }, body }, { version: user?.version }),
      },
    ]
  })
  if (!prune) return changes
  const listed = new Set(Object.keys(users).map(emailKey))
  const removed = known.filter(
    ({ email }) => !listed.has(emailKey(email)) && state.users.get(emailKey(email))?.isEmailConfirmed,
  )
  const removals = removed.map(
    ({ email }): PlanStep => ({
      label: `user ${email}`,
      details: [`user ${email}: access removed`],
      run: (client) => client.call(deleteServerUser, { params: { id: id(), email } }),
    }),
  )
  return [...changes, ...removals]
}

interface TaskEntries {
  readonly tasks: readonly Readonly<Record<string, unknown>>[] | undefined
  /** Of the server in the file. */
  readonly path: readonly string[]
}

/** Changes of the tasks of a server, which are recognized by their name; several of one name in their order. */
export function taskSteps(
  { prune }: PlanInput,
  id: () => string,
  server: Pick<KnownServer, 'tasks'>,
  { tasks, path }: TaskEntries,
  plan: PlanBuilder,
): readonly PlanStep[] {
  if (!tasks) return []
  const known = getTasks(server)
  const taken = new Set<string>()
  const changes = tasks.flatMap((content, at): PlanStep[] => {
    const current = known.find((candidate) => candidate.task.name === content.name && !taken.has(candidate.id))
    if (current) taken.add(current.id)
    const read = Task.safeParse(withSecrets(content, current?.task), { reportInput: true })
    if (!read.success) {
      plan.problems.push(...getProblems(read.error, [...path, 'tasks', at]))
      return []
    }
    const unknown = Object.keys(content).find((key) => !taskFields.has(key))
    if (unknown !== undefined) plan.problem([...path, 'tasks', at, unknown], `There is no field '${unknown}' here.`)
    const task = getTask(read.data)
    const label = `task ${task.name}`
    if (!current) {
      const run: PlanStep['run'] = (client) => client.call(createTask, { params: { id: id() }, body: task })
      return [{ label, details: [`${label}: new`], run }]
    }
    const lines = differences(current.task, task)
    if (lines.length === 0) return []
    // What the file does not have is removed from the task, not kept.
    const body = { cronSchedule: null, timezone: null, catchUp: null, triggers: null, ...task }
    const params = () => ({ id: id(), task: current.id })
    return [
      {
        label,
        details: lines.map((line) => `${label}: ${line}`),
        run: (client) => client.call(putTask, { params: params(), body }, { version: current.version }),
      },
    ]
  })
  const removals = known
    .filter((task) => prune && !taken.has(task.id))
    .map(
      ({ id: task, task: { name } }): PlanStep => ({
        label: `task ${String(name)}`,
        details: [`task ${String(name)}: deleted`],
        run: (client) => client.call(deleteTask, { params: { id: id(), task } }),
      }),
    )
  return [...changes, ...removals]
}

const taskFields = new Set(['name', 'cronSchedule', 'timezone', 'catchUp', 'triggers', 'operations'])
