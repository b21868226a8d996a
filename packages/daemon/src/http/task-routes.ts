import { parseVersion } from '@innkeeper/contract/api/endpoint'
import { cancelRestartCountdown, startRestartCountdown } from '@innkeeper/contract/servers/restart-countdown'
import * as calls from '@innkeeper/contract/servers/tasks'
import { findUserId } from '../servers/task-owners.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { HandlerContext, Serve } from './requests/serve.ts'

/** The task endpoints of a server. */
export function taskRoutes(serve: Serve, tasks: Tasks): void {
  serve(calls.listTasks, async ({ params }) => ({
    tasks: (await tasks.on(params.id)).list(),
    timezone: tasks.timezone,
    hasConditions: true,
  }))
  serve(calls.createTask, async ({ params, body, ...principal }) => ({
    id: await (await tasks.on(params.id)).create(body, getAuthor(principal)),
  }))
  serve(calls.putTask, async ({ params, body, header, reply, ...principal }) => {
    const onServer = await tasks.on(params.id)
    const version = await onServer.put(params.task, body, getAuthor(principal), parseVersion(header('if-match')))
    reply.header('ETag', `"${version}"`)
  })
  serve(calls.deleteTask, async ({ params }) => (await tasks.on(params.id)).remove(params.task))
  serve(calls.runTask, async ({ params, query, reply, sub }) => {
    const { ended } = (await tasks.on(params.id)).run(params.task, findUserId(sub))
    if (!query.wait) return
    await ended
    reply.status(204)
  })
  serve(calls.cancelTask, async ({ params }) => (await tasks.on(params.id)).cancel(params.task))
  serve(startRestartCountdown, async ({ params, body, ...principal }) =>
    (await tasks.on(params.id)).restartCountdown.start(body, getAuthor(principal)),
  )
  serve(cancelRestartCountdown, async ({ params }) => (await tasks.on(params.id)).restartCountdown.cancel())
  serve(calls.listTaskRuns, async ({ params }) => (await tasks.on(params.id)).runs(params.task))
}

function getAuthor({ sub, permissions }: Pick<HandlerContext<typeof calls.listTasks>, 'sub' | 'permissions'>) {
  return { userId: findUserId(sub), permissions }
}
