import type { ServerPermissions } from '@innkeeper/contract/api/permissions'
import type { RefusalCode } from '@innkeeper/contract/errors/refusals'
import type { NodeAvailability } from '@innkeeper/contract/nodes/node-availability'
import type { ServerState, ServerStatus } from '@innkeeper/contract/servers/status'
import type { Suspension } from '@innkeeper/contract/servers/suspension'
import { act, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { createMemoryRouter, Outlet } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { vi } from 'vitest'
import { Providers } from '../../../app/app.tsx'
import { UnsavedChangesProvider } from '../../../forms/unsaved-changes.tsx'
import { HotkeysProvider } from '../../../hotkeys/hotkeys.tsx'
import { createI18n } from '../../../i18n/i18n.tsx'
import { FakeWebSocket } from '../../../realtime/testing/fake-web-socket.ts'
import { SessionStore } from '../../../session/store.ts'
import { LayoutContext } from '../../../ui/layout/page.tsx'
import { ConfirmProvider } from '../../../ui/overlays/confirm-provider.tsx'
import { ServerScreen } from '../server-screen.tsx'

/** A request that the fake panel received. */
export interface RecordedRequest {
  /** Method and path. */
  readonly endpoint: string
  readonly query: string
  readonly body: unknown
  readonly headers: Headers
}

interface Options {
  readonly scopes?: readonly string[]
  readonly permissions?: ServerPermissions
  readonly state?: ServerState
  readonly path?: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly groups?: readonly unknown[]
  /** The response for the statistics of the last hour. */
  readonly statsHistory?: object
  /** The folder of the server; by default it cannot be read. */
  readonly files?: readonly object[]
  readonly suspension?: Suspension
  /** The actions on players that the template has. */
  readonly playerActions?: readonly string[]
  readonly availability?: NodeAvailability
}

/** Writes that are refused as outdated when `If-Match` is not the latest version. */
const versioned: ReadonlySet<string> = new Set([
  'POST /proxy/daemon/server/deadbeef',
  'POST /proxy/daemon/server/deadbeef/data',
])

const allPermissions: ServerPermissions = {
  viewServerConsole: true,
  viewServerStats: true,
  editServerData: true,
  startServer: true,
  stopServer: true,
  installServer: true,
  sendServerConsole: true,
}

/** Renders the page of a server, with a fake panel and node that the test controls. */
export async function openServerPage({
  scopes = [],
  permissions = allPermissions,
  state = 'online',
  path = '/server/deadbeef',
  variables = {},
  groups = [],
  statsHistory = { fromMs: 0, stepMs: 3_000, cpu: [], cpuPeak: [], memory: [], memoryPeak: [] },
  files,
  suspension,
  playerActions = [],
  availability,
}: Options = {}) {
  const requests: RecordedRequest[] = []
  const heldRequests = new Map<string, Promise<void>>()
  const unreachable = { isPanel: false }
  const refusals = new Map<string, { code: RefusalCode; status: number; metadata?: Record<string, unknown> }>()
  const server = {
    name: 'lobby',
    definition: { id: 'deadbeef', type: 'generic', data: {}, run: { command: 'run it', autostart: true }, kept: 7 },
    version: 1,
    variables,
    suspension,
  }
  const responses: Record<string, () => unknown> = {
    'GET /api/config': () => ({
      branding: { name: 'Innkeeper' },
      themes: { active: '', available: [] },
      registrationEnabled: false,
      setupNeeded: false,
      version: '1',
    }),
    'GET /api/self': () => ({ id: 1, username: 'mara', email: 'mara@example.com' }),
    'GET /api/userSettings': () => [],
    'POST /auth/reauth': () => ({ session: 'token', scopes }),
    'GET /api/servers/deadbeef': () => ({
      server: {
        id: 'deadbeef',
        name: server.name,
        ip: '',
        port: 25565,
        type: 'generic',
        tags: [],
        ...(server.suspension && { suspension: server.suspension }),
        template: { name: 'paper', display: 'Paper 1.21' },
        node: {
          id: 0,
          name: 'Frankfurt 1',
          publicHost: 'play.example',
          publicPort: 1,
          sftpPort: 2,
          isLocal: true,
          availability,
        },
      },
      permissions,
    }),
    'GET /api/servers/deadbeef/user': () => [],
    'GET /api/servers/deadbeef/dns-name': () => ({ name: null, proposal: 'lobby' }),
    'GET /api/servers/deadbeef/ports': () => ({ limit: 0, ports: [], variables: [] }),
    'GET /proxy/daemon/server/deadbeef': () => server.definition,
    'GET /proxy/daemon/server/deadbeef/data': () => ({ data: server.variables, groups }),
    'GET /proxy/daemon/server/deadbeef/status': () => getStatus(state),
    'GET /proxy/daemon/server/deadbeef/players/actions': () => ({
      actions: playerActions.map((type) => ({ type, arguments: [] })),
    }),
    'GET /proxy/daemon/server/deadbeef/stats': () => ({ cpu: 1, memory: 1 }),
    'GET /proxy/daemon/server/deadbeef/stats/history': () => statsHistory,
    ...(files && { 'GET /proxy/daemon/server/deadbeef/file/': () => files }),
    'GET /proxy/daemon/server/deadbeef/console': () => ({ epoch: 1, logs: '', from: printed, to: printed }),
  }
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    const [path, query = ''] = address.split('?')
    const endpoint = `${init.method} ${path}`
    requests.push({ endpoint, query, body: getBody(init.body), headers: new Headers(init.headers) })
    await heldRequests.get(endpoint)
    if (unreachable.isPanel) throw new TypeError('Failed to fetch')
    const refusal = refusals.get(endpoint)
    if (refusal) {
      const { status, ...error } = refusal
      return new Response(JSON.stringify({ error }), { status })
    }
    const seen = new Headers(init.headers).get('if-match')
    if (versioned.has(endpoint) && seen !== null && seen !== `"${server.version}"`) {
      return new Response(JSON.stringify({ error: { code: 'ErrStaleVersion' } }), { status: 412 })
    }
    const response = responses[endpoint]
    if (response)
      return new Response(JSON.stringify(response()), { status: 200, headers: { etag: `"${server.version}"` } })
    return init.method === 'GET'
      ? new Response(JSON.stringify({ error: { code: 'ErrNotFound' } }), { status: 404 })
      : new Response(null, { status: 204 })
  })
  const sockets: FakeWebSocket[] = []
  vi.stubGlobal(
    'WebSocket',
    class extends FakeWebSocket {
      constructor() {
        super()
        sockets.push(this)
      }
    },
  )
  const session = new SessionStore()
  session.start({ session: 'token', scopes: [...scopes] })
  const router = createMemoryRouter(
    [
      {
        element: (
          <UnsavedChangesProvider>
            <TopBar />
          </UnsavedChangesProvider>
        ),
        children: [
          { path: '/server/:id', element: <ServerScreen /> },
          { path: '/server', element: <p>All servers</p> },
        ],
      },
    ],
    { initialEntries: [path] },
  )
  const i18n = await createI18n('en_US')
  render(
    <Providers i18n={i18n} session={session} env="test">
      <HotkeysProvider>
        <ConfirmProvider>
          <RouterProvider router={router} />
        </ConfirmProvider>
      </HotkeysProvider>
    </Providers>,
    { reactStrictMode: false },
  )
  const socket = () => sockets.at(-1) as FakeWebSocket
  let printed = 0

  return {
    requests,
    router,
    i18n,
    server,
    user: userEvent.setup({ delay: null }),
    socket,
    setPanelReachable: (isReachable: boolean) => {
      unreachable.isPanel = !isReachable
    },
    /** Responds to an endpoint with this body from now on. */
    respond(endpoint: string, body: unknown) {
      responses[endpoint] = () => body
    },
    /** Responds to an endpoint with a refusal from now on. */
    refuse: (endpoint: string, code: RefusalCode, status: number, metadata?: Record<string, unknown>) =>
      refusals.set(endpoint, metadata ? { code, status, metadata } : { code, status }),
    clearRefusal: (endpoint: string) => refusals.delete(endpoint),
    /** Delays the responses of an endpoint until the returned function is called. */
    holdRequest(endpoint: string): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      heldRequests.set(endpoint, promise)
      return () => {
        heldRequests.delete(endpoint)
        resolve()
      }
    },
    requestsTo: (endpoint: string) => requests.filter((request) => request.endpoint === endpoint),
    /** Waits for the page and opens its socket. */
    async waitUntilLive() {
      await screen.findByRole('heading', { name: server.name, level: 1 })
      await vi.waitFor(() => socket())
      act(() => {
        socket().opens()
        socket().says({ type: 'status', data: getStatus(state) })
        socket().says({ type: 'replay', data: { from: 0, to: 0 } })
      })
    },
    reportStatus: (now: ServerState, more: Partial<ServerStatus> = {}) =>
      act(() => socket().says({ type: 'status', data: { ...getStatus(now, 'later'), ...more } })),
    async printOutput(text: string) {
      const from = printed
      printed += new TextEncoder().encode(text).length
      await act(async () => {
        socket().says({ type: 'console', data: { logs: [text], epoch: 1_000, from, to: printed } })
        await new Promise(requestAnimationFrame)
      })
    },
  }
}

/** The part of the shell that pages of a phone render into. */
function TopBar() {
  const [actions, setActions] = useState<HTMLElement | null>(null)
  const [subtitle, setSubtitle] = useState<HTMLElement | null>(null)
  return (
    <LayoutContext value={{ setTitle: noTitle, phoneSlots: { actions, subtitle } }}>
      <div ref={setSubtitle} />
      <div ref={setActions} />
      <Outlet />
    </LayoutContext>
  )
}

const noTitle = () => undefined

function getStatus(state: ServerState, since = '2026-11-20T20:00:00Z'): ServerStatus {
  const running = state === 'online' || state === 'stopping'
  return { running, installing: state === 'installing', state, since }
}

function getBody(body: unknown): unknown {
  if (typeof body !== 'string') return undefined
  try {
    return JSON.parse(body)
  } catch {
    // A command is sent as plain text.
    return body
  }
}
