import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import {
  createBrowserRouter,
  matchRoutes,
  Navigate,
  Outlet,
  type RouteObject,
  useLocation,
  useRouteError,
} from 'react-router'
import { loadCode } from '../api/load-code.ts'
import { viewLoadTimeoutMs } from '../api/timeout.ts'
import { type TranslationKey, useT } from '../i18n/i18n.tsx'
import { useSession } from '../session/session.tsx'
import { EmptyState } from '../ui/feedback/empty-state.tsx'
import { failedView, useHasNewBuild } from '../ui/loading/lazy-view.tsx'
import { AuthFrame } from './auth-frame.tsx'
import { authScreens } from './auth-screens.ts'
import type { RouteHandle } from './route-handle.ts'
import { getSignInPath } from './sign-in-path.ts'

const getChild = (path: string, title: TranslationKey): RouteHandle => ({ parent: { path, title } })

const signedInId = 'signed-in'

/** All pages. The code of a page is loaded when it is first visited. */
export const routes: RouteObject[] = [
  {
    errorElement: (
      <main>
        <RouteError />
      </main>
    ),
    hydrateFallbackElement: <output />,
    children: [
      {
        element: (
          <AuthFrame>
            <Outlet />
          </AuthFrame>
        ),
        children: Object.entries(authScreens).map(([path, load]) => ({
          path,
          lazy: async () => ({ Component: await load() }),
        })),
      },
      {
        id: signedInId,
        element: <RequireAuth />,
        children: [
          { path: '/', element: <Navigate to="/server" replace /> },
          {
            lazy: async () => ({ Component: (await import('./shell.tsx')).Shell }),
            children: [
              // An error of a page leaves the shell as it is.
              {
                errorElement: <RouteError />,
                children: [
                  {
                    path: '/overview',
                    lazy: async () => ({
                      Component: (await import('../screens/overview/overview-screen.tsx')).OverviewScreen,
                    }),
                  },
                  {
                    path: '/server',
                    lazy: async () => ({
                      Component: (await import('../screens/servers/servers-screen.tsx')).ServersScreen,
                    }),
                  },
                  {
                    path: '/server/:id',
                    handle: {
                      ...getChild('/server', 'shell.Servers'),
                      hasOwnBottomBar: true,
                      showsUnreachable: true,
                    } satisfies RouteHandle,
                    lazy: async () => ({
                      Component: (await import('../screens/server/server-screen.tsx')).ServerScreen,
                    }),
                  },
                  {
                    path: '/addserver',
                    handle: getChild('/server', 'shell.Servers'),
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
                    handle: getChild('/node', 'shell.Nodes'),
                    lazy: async () => ({ Component: (await import('../screens/nodes/node-screen.tsx')).NodeScreen }),
                  },
                  {
                    path: '/addnode',
                    handle: getChild('/node', 'shell.Nodes'),
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
                    handle: getChild('/template', 'shell.Templates'),
                    lazy: async () => ({
                      Component: (await import('../screens/templates/template-screen.tsx')).TemplateScreen,
                    }),
                  },
                  {
                    path: '/addtemplate',
                    handle: getChild('/template', 'shell.Templates'),
                    lazy: async () => ({
                      Component: (await import('../screens/templates/add-template-screen.tsx')).AddTemplateScreen,
                    }),
                  },
                  {
                    path: '/importtemplates',
                    handle: getChild('/template', 'shell.Templates'),
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
                        path: '/user/roles',
                        handle: getChild('/user', 'shell.Users'),
                        lazy: async () => ({
                          Component: (await import('../screens/users/roles-screen.tsx')).RolesScreen,
                        }),
                      },
                      {
                        path: '/user/:id',
                        handle: getChild('/user', 'shell.Users'),
                        lazy: async () => ({
                          Component: (await import('../screens/users/user-screen.tsx')).UserScreen,
                        }),
                      },
                      {
                        path: '/adduser',
                        handle: getChild('/user', 'shell.Users'),
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
                    handle: getChild('/docs', 'docs.Title'),
                    lazy: async () => ({ Component: (await import('../screens/docs/docs-screen.tsx')).DocsScreen }),
                  },
                  {
                    path: '/account/confirm',
                    handle: getChild('/account', 'shell.Account'),
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

/** Opens the page of the window's address, or the sign-in page in its place. Resolves when the code of the page is loaded. */
export async function openRouter(isSignedIn: boolean): Promise<ReturnType<typeof createBrowserRouter>> {
  if (!isSignedIn && needsSession(location.pathname)) {
    history.replaceState(history.state, '', getSignInPath(location))
  }
  const router = createBrowserRouter(withRetries(routes))
  if (!router.state.initialized) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = router.subscribe(({ initialized }) => {
      if (initialized) resolve()
    })
    await promise.finally(stop)
  }
  return router
}

/** Whether the page of a path is for signed-in users only: then its code is not loaded before sign-in. */
const needsSession = (pathname: string): boolean =>
  matchRoutes(routes, pathname)?.some(({ route }) => route.id === signedInId) === true

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

/** Renders the page for signed-in users. Others are sent to the sign-in page and return after it. */
function RequireAuth() {
  const { isSignedIn, signOutReason } = useSession()
  const location = useLocation()
  return isSignedIn ? <Outlet /> : <Navigate to={getSignInPath(location, signOutReason)} replace />
}

/** Shown when a page failed to render. */
export function RouteError() {
  const t = useT()
  const error = useRouteError()
  const isOutdated = useHasNewBuild()
  // The whole error is only in the console of the browser.
  console.error(error)
  return (
    <EmptyState
      isError
      icon={IconAlertTriangle}
      title={t('errors.PageFailed')}
      actions={<Button onClick={() => location.reload()}>{t('errors.Reload')}</Button>}
    >
      {isOutdated && t('errors.PageFailedWhy')}
    </EmptyState>
  )
}
