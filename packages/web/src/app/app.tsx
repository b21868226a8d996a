import { getConfig } from '@innkeeper/contract/settings/panel'
import { languageSetting } from '@innkeeper/contract/text/languages'
import { DirectionProvider, MantineProvider, MantineThemeProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { i18n } from 'i18next'
import { type ComponentProps, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { RouterProvider } from 'react-router/dom'
import { type AskForPassword, isPanelUnreachable, isRefusal, onPasswordRequired } from '../api/request.ts'
import { type ShowError, ShowErrorContext } from '../api/show-error.ts'
import { useApiQuery } from '../api/use-api.ts'
import { ColorSchemeSync } from '../features/appearance/color-scheme.tsx'
import { ThemeSync } from '../features/appearance/theme-button.tsx'
import { captureKeysForDialog } from '../hotkeys/key-capture.ts'
import { I18nProvider, useLocale, useT } from '../i18n/i18n.tsx'
import { hasStoredLocale, locales } from '../i18n/locale.ts'
import { PreferencesProvider, usePreference } from '../session/preferences.tsx'
import { SessionProvider, useSession } from '../session/session.tsx'
import type { SessionStore } from '../session/store.ts'
import { cssVariables, theme } from '../theme/theme.ts'
import { BrandContext } from '../ui/layout/page.tsx'
import { lazyOverlay } from '../ui/loading/lazy-overlay.tsx'
import { ErrorDetailsContext } from '../ui/text/error-message.ts'
import { showErrorToast, Toasts } from '../ui/toasts/toast.tsx'

const ErrorDetails = lazyOverlay(async () => (await import('../ui/feedback/error-details.tsx')).ErrorDetails)

interface AppProps {
  readonly router: ComponentProps<typeof RouterProvider>['router']
  readonly i18n: i18n
  readonly session: SessionStore
}

export function App({ router, i18n, session }: AppProps) {
  return (
    <Providers i18n={i18n} session={session}>
      <RouterProvider router={router} />
    </Providers>
  )
}

interface ProvidersProps {
  readonly i18n: i18n
  readonly session: SessionStore
  readonly env?: 'default' | 'test'
  readonly children: ReactNode
}

/** All contexts of the app. Tests render with them too. */
export function Providers({ i18n, session, env = 'default', children }: ProvidersProps) {
  const [queries] = useState(newQueryClient)
  return (
    <DirectionProvider>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" env={env}>
        <QueryClientProvider client={queries}>
          <I18nProvider i18n={i18n}>
            <TranslatedDefaults>
              <SessionProvider store={session}>
                <PreferencesProvider>
                  <ColorSchemeSync />
                  <ThemeSync />
                  <LanguageSync />
                  <BrandProvider>
                    <ErrorDetailsProvider>
                      <ErrorNotifierProvider>{children}</ErrorNotifierProvider>
                    </ErrorDetailsProvider>
                  </BrandProvider>
                </PreferencesProvider>
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
        // Errors of the API are final; only an unreachable panel is tried again.
        retry: (failures, error) =>
          failures < 2 && (isRefusal(error, 'ErrServiceNotAvailable') || isPanelUnreachable(error)),
        staleTime: 5_000,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
}

function BrandProvider({ children }: { children: ReactNode }) {
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  return <BrandContext value={config.data?.branding.name ?? 'Innkeeper'}>{children}</BrandContext>
}

function ErrorDetailsProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<{ error: unknown; retry: (() => void) | undefined }>()
  const [isOpen, setIsOpen] = useState(false)
  const show = useCallback((error: unknown, retry?: () => void) => {
    setShown({ error, retry })
    setIsOpen(true)
  }, [])

  return (
    <ErrorDetailsContext value={show}>
      {children}
      {shown && <ErrorDetails {...shown} opened={isOpen} onClose={() => setIsOpen(false)} />}
    </ErrorDetailsContext>
  )
}

function ErrorNotifierProvider({ children }: { children: ReactNode }) {
  const t = useT()
  const showDetails = use(ErrorDetailsContext)
  const showError = useCallback<ShowError>(
    (error, retry) => showErrorToast(t, showDetails, error, retry),
    [t, showDetails],
  )

  return (
    <ShowErrorContext value={showError}>
      <Toasts />
      <PasswordPrompt />
      {children}
    </ShowErrorContext>
  )
}

/** Gives Mantine's close buttons their name in the user's language. */
function TranslatedDefaults({ children }: { children: ReactNode }) {
  const t = useT()
  const theme = useMemo(() => {
    const closable = { defaultProps: { closeButtonProps: { 'aria-label': t('common.Close') } } }
    return {
      components: {
        Modal: closable,
        Drawer: closable,
        Notification: closable,
      },
    }
  }, [t])
  return (
    <MantineThemeProvider inherit theme={theme}>
      {children}
    </MantineThemeProvider>
  )
}

/** Shows the language that a user selected in another browser, unless one was selected in this browser. */
function LanguageSync(): null {
  const { locale, setLocale } = useLocale()
  const [preferred] = usePreference(languageSetting)
  const isWanted = preferred !== undefined && preferred !== locale && locales.includes(preferred)

  useEffect(() => {
    if (!isWanted || hasStoredLocale()) return
    // A language that cannot be loaded leaves the page as it is.
    setLocale(preferred).catch(console.error)
  }, [isWanted, preferred, setLocale])
  return null
}

const PasswordDialog = lazyOverlay(async () => (await import('../ui/fields/password-dialog.tsx')).PasswordDialog)

/** Asks for the password when a request needs it. */
function PasswordPrompt() {
  const { self, isSignedIn } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const resolvePending = useRef<(isConfirmed: boolean) => void>(() => undefined)

  const close = useCallback((isConfirmed: boolean) => {
    setIsOpen(false)
    resolvePending.current(isConfirmed)
  }, [])
  useEffect(() => {
    const ask: AskForPassword = () =>
      new Promise<boolean>((resolve) => {
        resolvePending.current = resolve
        captureKeysForDialog({ onEscape: () => close(false) })
        setWasOpened(true)
        setIsOpen(true)
      })
    return onPasswordRequired(ask)
  }, [close])
  useEffect(() => {
    if (!isSignedIn) close(false)
  }, [isSignedIn, close])

  return (
    wasOpened && (
      <PasswordDialog
        email={self?.email ?? ''}
        opened={isOpen}
        onConfirmed={() => close(true)}
        onClose={() => close(false)}
      />
    )
  )
}
