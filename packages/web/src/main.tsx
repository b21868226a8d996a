import './no-eval.ts'
import './theme/styles.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { loadView } from './app/pages.tsx'
import { getSignInPath, needsSession } from './app/sign-in-path.ts'
import { createI18n } from './i18n/i18n.tsx'
import { SessionStore } from './session/store.ts'
import { showStartFailure } from './start-failure.ts'
import { applyStoredTheme } from './theme/active-theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

applyStoredTheme()
// Without a top-level await: what `start` loads shares code with this module, and would wait for it to end.
void start(root)

async function start(root: HTMLElement): Promise<void> {
  const fail = (error: unknown) => {
    console.error(error)
    showStartFailure(root)
  }
  try {
    const session = new SessionStore()
    if (!session.state().isSignedIn && needsSession(location.pathname)) {
      history.replaceState(history.state, '', getSignInPath(location))
    }
    // The first page and the texts are loaded at the same time.
    const [first, i18n] = await Promise.all([loadView(), createI18n()])
    // The router shows errors of its pages itself; other errors while rendering are errors of the start.
    createRoot(root, { onUncaughtError: fail }).render(
      <StrictMode>
        <App first={first} i18n={i18n} session={session} />
      </StrictMode>,
    )
  } catch (error) {
    fail(error)
  }
}
