import { listNotifications, type Notification } from '@innkeeper/contract/alerts/notifications'
import { useApiQuery } from '../../api/use-api.ts'
import { usePreference } from '../../session/preferences.tsx'

const pollMs = 30_000
/** Notifications in one view. */
const maxShown = 50

/** The latest problems that the user may see, newest first. */
export function useNotifications() {
  return useApiQuery(
    listNotifications,
    { query: { limit: maxShown } },
    { refetchInterval: pollMs, meta: { quiet: true } },
  )
}

/** The notifications, and which of them the user has not seen. */
export function useUnreadNotifications() {
  const query = useNotifications()
  const [seenAt = '', setSeenAt] = usePreference('notificationsSeenAt')
  const notifications = query.data ?? []
  return {
    query,
    isUnread: ({ at }: Notification) => at > seenAt,
    unreadCount: notifications.filter(({ at }) => at > seenAt).length,
    markAllSeen: () => {
      const latest = notifications[0]?.at
      if (latest !== undefined && latest > seenAt) setSeenAt(latest)
    },
  }
}

/** The page on which the user can do something about a problem. */
export function getNotificationPath({ type, server, node }: Notification): string {
  if (server) {
    const tab = { taskFailed: '?tab=tasks', backupFailed: '?tab=backups', diskLimit: '?tab=files' }
    return `/server/${server.id}${tab[type as keyof typeof tab] ?? ''}`
  }
  if (node) return `/node/${node.id}`
  return type === 'mailFailed' ? '/settings#email' : '/settings#alerts'
}
