import './no-eval.ts'
import './theme/styles.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { openRouter } from './app/routes.tsx'
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
    // The first page and the texts are loaded at the same time.
    const [router, i18n] = await Promise.all([openRouter(session.state().isSignedIn), createI18n()])
    // The router shows errors of its pages itself; other errors while rendering are errors of the start.
    createRoot(root, { onUncaughtError: fail }).render(
      <StrictMode>
        <App router={router} i18n={i18n} session={session} />
      </StrictMode>,
    )
  } catch (error) {
    fail(error)
  }
}
