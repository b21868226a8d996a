import './no-eval.ts'
import './theme/styles.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { createRoutes } from './app/routes.tsx'
import { createI18n } from './i18n/i18n.tsx'
import { SessionStore } from './session/store.ts'
import { showStartFailure } from './start-failure.ts'
import { applyStoredTheme } from './theme/active-theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

applyStoredTheme()
// The router loads the first page while the texts are loading.
const router = createRoutes()
try {
  const i18n = await createI18n()
  const session = new SessionStore()
  createRoot(root).render(
    <StrictMode>
      <App router={router} i18n={i18n} session={session} />
    </StrictMode>,
  )
} catch (error) {
  console.error(error)
  showStartFailure(root)
}
