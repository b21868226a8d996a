import { limits } from '@innkeeper/contract/limits'
import { createBrowserRouter, Navigate, Outlet, type RouteObject } from 'react-router'
import { withTimeout } from '../api/timeout.ts'
import { RequireAuth } from './require-auth.tsx'
import { RouteError } from './route-error.tsx'

/** What the frame knows of a route: the page above it, and whether the page brings a bottom bar of its own. */
export interface RouteHandle {
  readonly parent?: { readonly path: string; readonly title: string }
  readonly hasOwnBottomBar?: boolean
  /** The page itself says that the panel does not answer, and since when. */
  readonly saysUnreachable?: boolean
}

const below = (path: string, title: string): RouteHandle => ({ parent: { path, title } })

/** Every page, each loaded when first visited. */
export const routes: RouteObject[] = [
  {
    element: <Outlet />,
    errorElement: <RouteError />,
    hydrateFallbackElement: <output />,
    children: [
      {
        path: '/auth/login',
        lazy: async () => ({ Component: (await import('../screens/login/login-screen.tsx')).LoginScreen }),
      },
      {
        path: '/auth/register',
        lazy: async () => ({ Component: (await import('../screens/register/register-screen.tsx')).RegisterScreen }),
      },
      {
        path: '/auth/invite',
        lazy: async () => ({ Component: (await import('../screens/invite/invite-screen.tsx')).InviteScreen }),
      },
      {
        path: '/auth/forgot',
        lazy: async () => ({ Component: (await import('../screens/reset/reset-screen.tsx')).ResetScreen }),
      },
      {
        path: '/auth/reset',
        lazy: async () => ({ Component: (await import('../screens/reset/reset-screen.tsx')).ResetScreen }),
      },
      {
        path: '/auth/setup',
        lazy: async () => ({ Component: (await import('../screens/setup/setup-screen.tsx')).SetupScreen }),
      },
      {
        path: '/errors/404',
        lazy: async () => ({ Component: (await import('../screens/not-found/not-found-screen.tsx')).NotFoundScreen }),
      },
      { path: '/', element: <Navigate to="/server" replace /> },
      {
        element: <RequireAuth />,
        children: [
          {
            lazy: async () => ({ Component: (await import('./shell.tsx')).Shell }),
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
                  ...below('/server', 'shell.Servers'),
                  hasOwnBottomBar: true,
                  saysUnreachable: true,
                } satisfies RouteHandle,
                lazy: async () => ({ Component: (await import('../screens/server/server-screen.tsx')).ServerScreen }),
              },
              {
                path: '/addserver',
                handle: below('/server', 'shell.Servers'),
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
                handle: below('/node', 'shell.Nodes'),
                lazy: async () => ({ Component: (await import('../screens/nodes/node-screen.tsx')).NodeScreen }),
              },
              {
                path: '/addnode',
                handle: below('/node', 'shell.Nodes'),
                lazy: async () => ({ Component: (await import('../screens/nodes/add-node-screen.tsx')).AddNodeScreen }),
              },
              {
                path: '/template',
                lazy: async () => ({
                  Component: (await import('../screens/templates/templates-screen.tsx')).TemplatesScreen,
                }),
              },
              {
                path: '/template/:name',
                handle: below('/template', 'shell.Templates'),
                lazy: async () => ({
                  Component: (await import('../screens/templates/template-screen.tsx')).TemplateScreen,
                }),
              },
              {
                path: '/addtemplate',
                handle: below('/template', 'shell.Templates'),
                lazy: async () => ({
                  Component: (await import('../screens/templates/add-template-screen.tsx')).AddTemplateScreen,
                }),
              },
              {
                path: '/importtemplates',
                handle: below('/template', 'shell.Templates'),
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
                handle: below('/settings', 'shell.Settings'),
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
                      Component: (await import('../screens/users/users-screen.tsx')).NobodyChosen,
                    }),
                  },
                  {
                    path: '/user/:id',
                    handle: below('/user', 'shell.Users'),
                    lazy: async () => ({ Component: (await import('../screens/users/user-screen.tsx')).UserScreen }),
                  },
                  {
                    path: '/adduser',
                    handle: below('/user', 'shell.Users'),
                    lazy: async () => ({
                      Component: (await import('../screens/users/add-user-screen.tsx')).AddUserScreen,
                    }),
                  },
                ],
              },
              {
                path: '/account/confirm',
                handle: below('/account', 'shell.Account'),
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
      { path: '*', element: <Navigate to="/errors/404" replace /> },
    ],
  },
]

export function createRoutes(): ReturnType<typeof createBrowserRouter> {
  return createBrowserRouter(withTimeouts(routes))
}

/** The routes with a bound on how long the code of their pages may take; `RouteFailure` says so. */
export function withTimeouts(all: RouteObject[], timeoutMs: number = limits.viewLoadMs): RouteObject[] {
  return all.map((route): RouteObject => {
    const { lazy } = route
    const timed = typeof lazy === 'function' ? { lazy: () => withTimeout(lazy(), timeoutMs) } : {}
    // An index route has no children; all of ours are plain ones.
    if (route.index) return { ...route, ...timed }
    return { ...route, ...timed, ...(route.children && { children: withTimeouts(route.children, timeoutMs) }) }
  })
}
