import { getConfig } from '@innkeeper/contract/panel'
import { DirectionProvider, MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { i18n } from 'i18next'
import { type ReactNode, use, useCallback, useEffect, useEffectEvent, useState } from 'react'
import type { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { isRefusal } from '../api/request.ts'
import { type ShowError, ShowErrorContext } from '../api/use-api-mutation.ts'
import { useApiQuery } from '../api/use-api-query.ts'
import { SchemeKeeper } from '../features/appearance/scheme.tsx'
import { HotkeysProvider } from '../hotkeys/hotkeys.tsx'
import { I18nProvider, useT } from '../i18n/i18n.tsx'
import { SessionProvider, useSession } from '../session/session.tsx'
import type { SessionStore } from '../session/store.ts'
import { cssVariables, theme } from '../theme/theme.ts'
import { TranslatedDefaults } from '../theme/translated-defaults.tsx'
import { ErrorDetailsContext } from '../ui/error-message.ts'
import { lazyOverlay } from '../ui/lazy-overlay.tsx'
import { BrandContext } from '../ui/page.tsx'
import { showErrorToast, Toasts, toast } from '../ui/toast.tsx'

const ErrorDetails = lazyOverlay(async () => (await import('../ui/error-details.tsx')).ErrorDetails)

interface AppProps {
  readonly router: ReturnType<typeof createBrowserRouter>
  readonly texts: i18n
  readonly session: SessionStore
}

export function App({ router, texts, session }: AppProps) {
  return (
    <Providers texts={texts} session={session}>
      <RouterProvider router={router} />
    </Providers>
  )
}

interface ProvidersProps {
  readonly texts: i18n
  readonly session: SessionStore
  readonly env?: 'default' | 'test'
  readonly children: ReactNode
}

/** Everything a screen can count on. Tests wrap what they render in it too. */
export function Providers({ texts, session, env = 'default', children }: ProvidersProps) {
  const [queries] = useState(newQueryClient)
  return (
    <DirectionProvider>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" env={env}>
        <QueryClientProvider client={queries}>
          <I18nProvider texts={texts}>
            <TranslatedDefaults>
              <SessionProvider store={session}>
                <SchemeKeeper />
                <Brand>
                  <ErrorReporting>
                    <HotkeysProvider>{children}</HotkeysProvider>
                  </ErrorReporting>
                </Brand>
              </SessionProvider>
            </TranslatedDefaults>
          </I18nProvider>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  )
}

function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A refusal is an answer: only an unreachable panel is asked again.
        retry: (failures, error) => failures < 2 && isRefusal(error, 'ErrServiceNotAvailable'),
        staleTime: 5_000,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
}

function Brand({ children }: { children: ReactNode }) {
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  return <BrandContext value={config.data?.branding.name ?? 'Innkeeper'}>{children}</BrandContext>
}

function ErrorReporting({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<{ error: unknown; retry?: () => void }>()
  const [isOpen, setIsOpen] = useState(false)
  const show = useCallback((error: unknown, retry?: () => void) => {
    setShown(retry ? { error, retry } : { error })
    setIsOpen(true)
  }, [])

  return (
    <ErrorDetailsContext value={show}>
      <ErrorNotifierProvider>{children}</ErrorNotifierProvider>
      {shown && <ErrorDetails {...shown} opened={isOpen} onClose={() => setIsOpen(false)} />}
    </ErrorDetailsContext>
  )
}

const timedOutToast = 'timed-out'

function ErrorNotifierProvider({ children }: { children: ReactNode }) {
  const t = useT()
  const showDetails = use(ErrorDetailsContext)
  const { logoutReason } = useSession()
  const tell = useCallback<ShowError>((error, retry) => showErrorToast(t, showDetails, error, retry), [t, showDetails])
  const tellTimedOut = useEffectEvent(() => toast.error(t('errors.ErrSessionTimedOut'), { id: timedOutToast }))
  useEffect(() => {
    if (logoutReason !== 'timedOut') return
    tellTimedOut()
    // After another login it is not true any more.
    return () => toast.hide(timedOutToast)
  }, [logoutReason])

  return (
    <ShowErrorContext value={tell}>
      <Toasts />
      {children}
    </ShowErrorContext>
  )
}
