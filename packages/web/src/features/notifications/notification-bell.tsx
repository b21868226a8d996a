import { ActionIcon, Indicator, Popover, ScrollArea, Text } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { NotificationList } from './notification-list.tsx'
import { useUnreadNotifications } from './use-notifications.ts'

/** A button with the number of problems that the user has not seen, and their list. */
export function NotificationBell() {
  const t = useT()
  const { number } = useFormatters()
  const { query, isUnread, unreadCount, markAllSeen } = useUnreadNotifications()
  const [isOpen, setIsOpen] = useState(false)
  const notifications = query.data ?? []
  const label = unreadCount > 0 ? t('notifications.TitleUnread', { count: unreadCount }) : t('notifications.Title')
  const toggle = (next: boolean) => {
    setIsOpen(next)
    // They stay marked while the list is open.
    if (!next) markAllSeen()
  }
  return (
    // Popover would set its roles on the target, which is a wrapper of the button.
    <Popover
      opened={isOpen}
      onChange={toggle}
      withRoles={false}
      trapFocus
      returnFocus
      position="bottom-end"
      width="min(22.5rem, 92vw)"
    >
      <Popover.Target>
        <Indicator
          disabled={unreadCount === 0}
          label={number(unreadCount)}
          size={16}
          offset={6}
          color="var(--ik-offline)"
        >
          <ActionIcon
            aria-label={label}
            data-tip={label}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            onClick={() => toggle(!isOpen)}
          >
            <IconBell size={19} aria-hidden />
          </ActionIcon>
        </Indicator>
      </Popover.Target>
      <Popover.Dropdown p={0} role="dialog" aria-label={t('notifications.Title')}>
        {notifications.length === 0 ? (
          <Text p="md" c="dimmed">
            {query.isError ? t('notifications.LoadFailed') : t('notifications.None')}
          </Text>
        ) : (
          <ScrollArea.Autosize mah="min(28rem, 70vh)" type="auto">
            <NotificationList
              label={t('notifications.Title')}
              notifications={notifications}
              isUnread={isUnread}
              onOpen={() => toggle(false)}
            />
          </ScrollArea.Autosize>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}
