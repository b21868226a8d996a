import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react'
import {
  createBrowserRouter,
  Navigate,
  Outlet,
  type RouteObject,
  useBlocker,
  useLocation,
  useNavigate,
} from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { loadCode } from '../api/load-code.ts'
import { viewLoadTimeoutMs, withTimeout } from '../api/timeout.ts'
import type { TranslationKey } from '../i18n/translation-key.ts'
import { failedView } from '../ui/lazy-view.tsx'
import { type Blocker, getHistoryPosition, type Navigation, NavigationContext } from '../ui/navigation.tsx'
import { authScreens } from './auth-screens.ts'
import { RequireAuth } from './require-auth.tsx'
import { RouteError } from './route-error.tsx'

/** What the shell knows about a page. */
export interface RouteHandle {
  /** The breadcrumb before the page, and where a phone's back button leads. */
  readonly parent?: { readonly path: string; readonly title: TranslationKey }
  readonly hasOwnBottomBar?: boolean
  /** The page shows by itself that the panel is unreachable. */
  readonly showsUnreachable?: boolean
}

const childOf = (path: string, title: TranslationKey): RouteHandle => ({ parent: { path, title } })

/** All pages. The code of a page is loaded when it is first visited. */
export const routes: RouteObject[] = [
  {
    element: <Root />,
    errorElement: (
      <main>
        <RouteError />
      </main>
    ),
    hydrateFallbackElement: <output />,
    children: [
      {
        lazy: async () => {
          const { AuthFrame } = await import('./auth-frame.tsx')
          return {
            element: (
              <AuthFrame>
                <Outlet />
              </AuthFrame>
            ),
          }
        },
        children: Object.entries(authScreens).map(([path, load]) => ({
          path,
          lazy: async () => ({ Component: await load() }),
        })),
      },
      { path: '/', element: <Navigate to="/server" replace /> },
      {
        element: <RequireAuth />,
        children: [
          {
            lazy: async () => ({ Component: (await import('./shell.tsx')).Shell }),
            children: [
              // An error of a page leaves the shell as it is.
              {
                errorElement: <RouteError />,
                children: [
                  {
                    path: '/server',
                    lazy: async () => ({
                      Component: (await import('../screens/servers/servers-screen.tsx')).ServersScreen,
                    }),
                  },
                  {
                    path: '/server/:id',
                    handle: {
                      ...childOf('/server', 'shell.Servers'),
                      hasOwnBottomBar: true,
                      showsUnreachable: true,
                    } satisfies RouteHandle,
                    lazy: async () => ({
                      Component: (await import('../screens/server/server-screen.tsx')).ServerScreen,
                    }),
                  },
                  {
                    path: '/addserver',
                    handle: childOf('/server', 'shell.Servers'),
                    lazy: async () => ({
                      Component: (await import('../screens/add-server/add-server-screen.tsx')).AddServerScreen,
                    }),
                  },
                  {
                    path: '/node',
                    lazy: async () => ({ Component: (await import('../screens/nodes/nodes-screen.tsx')).NodesScreen }),
                  },
                  {
                    path: '/node/:id',
                    handle: childOf('/node', 'shell.Nodes'),
                    lazy: async () => ({ Component: (await import('../screens/nodes/node-screen.tsx')).NodeScreen }),
                  },
                  {
                    path: '/addnode',
                    handle: childOf('/node', 'shell.Nodes'),
                    lazy: async () => ({
                      Component: (await import('../screens/nodes/add-node-screen.tsx')).AddNodeScreen,
                    }),
                  },
                  {
                    path: '/template',
                    lazy: async () => ({
                      Component: (await import('../screens/templates/templates-screen.tsx')).TemplatesScreen,
                    }),
                  },
                  {
                    path: '/template/:name',
                    handle: childOf('/template', 'shell.Templates'),
                    lazy: async () => ({
                      Component: (await import('../screens/templates/template-screen.tsx')).TemplateScreen,
                    }),
                  },
                  {
                    path: '/addtemplate',
                    handle: childOf('/template', 'shell.Templates'),
                    lazy: async () => ({
                      Component: (await import('../screens/templates/add-template-screen.tsx')).AddTemplateScreen,
                    }),
                  },
                  {
                    path: '/importtemplates',
                    handle: childOf('/template', 'shell.Templates'),
                    lazy: async () => ({
                      Component: (await import('../screens/templates/import-screen.tsx')).ImportScreen,
                    }),
                  },
                  {
                    path: '/settings',
                    lazy: async () => ({
                      Component: (await import('../screens/settings/settings-screen.tsx')).SettingsScreen,
                    }),
                  },
                  {
                    path: '/activity',
                    lazy: async () => ({
                      Component: (await import('../screens/activity/activity-screen.tsx')).ActivityScreen,
                    }),
                  },
                  {
                    lazy: async () => ({ Component: (await import('../screens/users/users-screen.tsx')).UsersScreen }),
                    children: [
                      {
                        path: '/user',
                        lazy: async () => ({
                          Component: (await import('../screens/users/users-screen.tsx')).NoUserSelected,
                        }),
                      },
                      {
                        path: '/user/:id',
                        handle: childOf('/user', 'shell.Users'),
                        lazy: async () => ({
                          Component: (await import('../screens/users/user-screen.tsx')).UserScreen,
                        }),
                      },
                      {
                        path: '/adduser',
                        handle: childOf('/user', 'shell.Users'),
                        lazy: async () => ({
                          Component: (await import('../screens/users/add-user-screen.tsx')).AddUserScreen,
                        }),
                      },
                    ],
                  },
                  {
                    path: '/docs',
                    lazy: async () => ({ Component: (await import('../screens/docs/docs-screen.tsx')).DocsScreen }),
                  },
                  {
                    path: '/docs/:page',
                    handle: childOf('/docs', 'docs.Title'),
                    lazy: async () => ({ Component: (await import('../screens/docs/docs-screen.tsx')).DocsScreen }),
                  },
                  {
                    path: '/account/confirm',
                    handle: childOf('/account', 'shell.Account'),
                    lazy: async () => ({
                      Component: (await import('../screens/account/confirm-email-screen.tsx')).ConfirmEmailScreen,
                    }),
                  },
                  {
                    path: '/account',
                    lazy: async () => ({
                      Component: (await import('../screens/account/account-screen.tsx')).AccountScreen,
                    }),
                  },
                ],
              },
            ],
          },
        ],
      },
      { path: '*', element: <Navigate to="/errors/404" replace /> },
    ],
  },
]

/** Starts the router at the address of the window, or opens another page with it. Returns what it shows. */
export async function openRouter(path?: string, replace = false): Promise<ReactNode> {
  // The first page before sign-in is only replaced if no other one was opened.
  const isOnly = history.state === null
  await goToFirst()
  const router = createBrowserRouter(withRetries(routes))
  // The page before sign-in stays visible while the code of the next one is loaded.
  if (path !== undefined) await router.navigate(path, { replace: replace && isOnly })
  return <RouterProvider router={router} />
}

/**
 * Goes to the first page before sign-in. The next page follows it in the history, in place of the others: the router can only
 * block navigation between entries of its own.
 */
async function goToFirst(): Promise<void> {
  const position = getHistoryPosition()
  if (position === 0) return
  const { promise, resolve } = Promise.withResolvers<unknown>()
  window.addEventListener('popstate', resolve, { once: true })
  history.go(-position)
  await withTimeout(promise, viewLoadTimeoutMs)
}

/** Lets code that the pages before sign-in share use the navigation of the router. */
export function Root() {
  const location = useLocation()
  const navigate = useNavigate()
  const blocker = useNavigationBlocker()
  const navigation = useMemo<Navigation>(
    () => ({
      location: { ...location, isFirst: location.key === 'default' },
      navigate: (path, options) => void navigate(path, options),
      blocker,
    }),
    [location, navigate, blocker],
  )
  return (
    <NavigationContext value={navigation}>
      <Outlet />
    </NavigationContext>
  )
}

/** Asks the returned blocker about each navigation. */
function useNavigationBlocker(): Navigation['blocker'] {
  const blocker = useRef<Blocker>(undefined)
  const answer = useRef<Promise<boolean>>(undefined)
  const blocked = useBlocker(
    useCallback(({ currentLocation, nextLocation }) => {
      answer.current = blocker.current?.(currentLocation, nextLocation)
      return answer.current !== undefined
    }, []),
  )
  useEffect(() => {
    if (blocked.state !== 'blocked') return
    void answer.current?.then((isConfirmed) => (isConfirmed ? blocked.proceed() : blocked.reset()))
  }, [blocked])
  return blocker
}

/** Adds retries and a timeout to loading the code of each page. A page without its code offers another try in its place. */
export function withRetries(all: RouteObject[], timeoutMs: number = viewLoadTimeoutMs): RouteObject[] {
  return all.map((route): RouteObject => {
    const { lazy } = route
    const retried = typeof lazy === 'function' ? { lazy: () => loadPage(lazy, timeoutMs) } : {}
    // The type of an index route has no children.
    if (route.index) return { ...route, ...retried }
    return { ...route, ...retried, ...(route.children && { children: withRetries(route.children, timeoutMs) }) }
  })
}

type LoadedRoute = Pick<RouteObject, 'Component' | 'element'>

async function loadPage(load: () => Promise<LoadedRoute>, timeoutMs: number): Promise<LoadedRoute> {
  try {
    return await loadCode(load, { timeoutMs })
  } catch (error) {
    const loadComponent = async () => {
      const { Component, element } = await load()
      return Component ?? (() => element)
    }
    return { Component: failedView(loadComponent, error, { timeoutMs }) }
  }
}
