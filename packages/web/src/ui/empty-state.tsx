import { Button } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import { type ReactNode, use } from 'react'
import { useT } from '../i18n/i18n.tsx'
import classes from './empty-state.module.css'
import { ErrorDetailsContext, errorMessage, isUnknownError, statusText } from './error-message.ts'

interface EmptyStateProps {
  readonly icon: ReactNode
  readonly title: string
  readonly children?: ReactNode
  /** Ways on. */
  readonly actions?: ReactNode
  readonly isError?: boolean
}

/** What stands where nothing can: why, and what to do next. */
export function EmptyState({ icon, title, children, actions, isError = false }: EmptyStateProps) {
  return (
    <div className={classes.state} {...(isError ? { role: 'alert' } : {})}>
      <span className={`${classes.icon} ${isError ? classes.error : ''}`}>{icon}</span>
      <h2>{title}</h2>
      {children && <p className={classes.text}>{children}</p>}
      {actions && <div className={classes.actions}>{actions}</div>}
    </div>
  )
}

/** Something could not be loaded: what, why, and another try. */
export function QueryError({ title, error, retry }: { title: string; error: unknown; retry?: () => void }) {
  const t = useT()
  const showDetails = use(ErrorDetailsContext)
  return (
    <EmptyState
      isError
      icon={<IconAlertTriangle size={24} aria-hidden />}
      title={title}
      actions={
        <>
          {retry && (
            <Button variant="default" leftSection={<IconRefresh size={17} aria-hidden />} onClick={retry}>
              {t('common.TryAgain')}
            </Button>
          )}
          <Button variant="subtle" color="gray" onClick={() => showDetails(error, retry)}>
            {t('common.Details')}
          </Button>
        </>
      }
    >
      {(isUnknownError(error) && statusText(t, error)) || errorMessage(t, error)}
    </EmptyState>
  )
}
