import { reloadServer } from '@innkeeper/contract/servers/node-servers'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { IconBraces, IconRefresh } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useAction, useApiMutation } from '../../api/use-action.ts'
import { refetchOrThrow } from '../../api/use-api.ts'
import { useKeyCapture } from '../../hotkeys/use-key-capture.ts'
import { useT } from '../../i18n/i18n.tsx'
import { ActionRow } from '../../ui/lists/action-row.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { usePreload } from '../../ui/loading/use-preload.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import type { WithVersion } from '../definition-editor/versioned-editor.tsx'
import { useDefinition } from './use-definition.ts'

const loadEditor = () => import('./server-definition-editor.tsx')
const ServerDefinitionEditor = lazyView(async () => (await loadEditor()).ServerDefinitionEditor)

/** Opens the latest definition in the editor. */
export function EditDefinition({ server }: { server: ServerView }) {
  const t = useT()
  const definition = useDefinition(server.id)
  const [opened, setOpened] = useState<WithVersion>()
  const keyCapture = useKeyCapture()
  usePreload(loadEditor)

  const open = useAction(
    async () => {
      let isCanceled = false
      const cancel = () => {
        isCanceled = true
        setOpened(undefined)
      }
      keyCapture.begin({ onEscape: cancel })
      const latest = await refetchOrThrow(definition)
      if (!isCanceled) setOpened(latest)
    },
    {
      handleError: () => {
        keyCapture.end()
        return false
      },
    },
  )
  return (
    <ActionRow
      title={t('server.AdminEditDefinition')}
      description={t('server.AdminEditAbout')}
      icon={IconBraces}
      action={t('common.Edit')}
      loading={open.isPending}
      onClick={() => void open.mutate()}
    >
      {opened && (
        <Suspense fallback={null}>
          <ServerDefinitionEditor
            id={server.id}
            name={server.name}
            opened={opened}
            onReload={() => refetchOrThrow(definition)}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </ActionRow>
  )
}

/** Makes the node read the definition file again, for changes that were made on its disk. */
export function ReloadFromDisk({ id: serverId }: { id: string }) {
  const t = useT()
  const definition = useDefinition(serverId)
  const { mutate, isPending } = useApiMutation(reloadServer, {
    onSuccess: () => {
      toast.success(t('server.AdminReloaded'))
      void definition.refetch()
    },
  })
  return (
    <ActionRow
      title={t('server.AdminReloadTitle')}
      description={t('server.AdminReloadAbout')}
      icon={IconRefresh}
      action={t('server.Reload')}
      loading={isPending}
      onClick={() => mutate({ params: { id: serverId } })}
    />
  )
}
