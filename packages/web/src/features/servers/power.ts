import { restartServer, startServer, stopServer } from '@innkeeper/contract/node-servers'
import { getUsage, type ServerView } from '@innkeeper/contract/servers'
import { useQueryClient } from '@tanstack/react-query'
import { use, useCallback, useEffect, useState } from 'react'
import { request } from '../../api/request.ts'
import { keyOf } from '../../api/use-call.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import type { ShownState } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.tsx'

const calls = { start: startServer, stop: stopServer, restart: restartServer } as const
export type PowerAction = keyof typeof calls

/** What a server shows from the click until its node reports something new. */
const expected: Readonly<Record<PowerAction, ShownState>> = {
  start: 'starting',
  stop: 'stopping',
  restart: 'restarting',
}

/** Without news for this long, what the node last reported counts again. */
const expectationMs = 60_000
/** How many servers a queue asks at the same time. */
const atOnce = 4

interface Expectation {
  readonly state: ShownState
  /** What was reported when it was asked for. */
  readonly before: ShownState
}

/** Starts, stops and restarts servers of a list, and knows what to show of each until the node confirms it. */
export function usePower(reported: ReadonlyMap<string, { readonly state: ShownState }>) {
  const text = useText()
  const queries = useQueryClient()
  const tell = use(TellRefusalContext)
  const [expectations, setExpectations] = useState<ReadonlyMap<string, Expectation>>(new Map())

  const forget = useCallback(
    (ids: readonly string[]) => setExpectations((before) => new Map([...before].filter(([id]) => !ids.includes(id)))),
    [],
  )
  useEffect(() => {
    const overtaken = [...expectations].filter(([id, { before }]) => (reported.get(id)?.state ?? before) !== before)
    if (overtaken.length > 0) forget(overtaken.map(([id]) => id))
  }, [reported, expectations, forget])

  const ask = async ({ id }: ServerView, action: PowerAction) => {
    const expectation = { state: expected[action], before: reported.get(id)?.state ?? 'unknown' } as const
    setExpectations((before) => new Map(before).set(id, expectation))
    window.setTimeout(() => forget([id]), expectationMs)
    try {
      await request(calls[action], { params: { id }, query: {} })
    } catch (error) {
      forget([id])
      throw error
    }
    await queries.invalidateQueries({ queryKey: keyOf(getUsage) })
  }

  /** Acts on one server; a refusal is told. */
  const act = (server: ServerView, action: PowerAction) => void ask(server, action).catch(tell)

  /** Acts on several, a few at a time, and sums up in the end. */
  const actOnAll = async (servers: readonly ServerView[], action: PowerAction) => {
    const refused: string[] = []
    const waiting = [...servers]
    const work = async () => {
      for (let server = waiting.shift(); server; server = waiting.shift()) {
        const { name } = server
        await ask(server, action).catch((error: unknown) => refused.push(`${name}: ${messageOf(text, error)}`))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    const done = text(`servers.Done_${action}`, { count: servers.length - refused.length, total: servers.length })
    if (refused.length === 0) toast.success(done)
    else toast.error(done, { detail: refused.join(' · ') })
  }

  const stateOf = (id: string): ShownState => expectations.get(id)?.state ?? reported.get(id)?.state ?? 'unknown'
  return { act, actOnAll, stateOf }
}
