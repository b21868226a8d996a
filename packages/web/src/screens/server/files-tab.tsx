import type { ServerView } from '@innkeeper/contract/servers'
import { ActionIcon, Popover } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { IconPlugConnected } from '@tabler/icons-react'
import { type ReactNode, Suspense, useCallback } from 'react'
import { dirname } from '../../api/file-paths.ts'
import { FileBrowser } from '../../features/files/file-browser.tsx'
import { SftpCard } from '../../features/files/sftp-card.tsx'
import { useDownload } from '../../features/files/use-download.ts'
import { useFilesChanged } from '../../features/files/use-refresh.ts'
import { DropTarget } from '../../features/uploads/drop-target.tsx'
import type { PickedItem } from '../../features/uploads/items.ts'
import { UnfinishedUploads } from '../../features/uploads/unfinished.tsx'
import { usePicker } from '../../features/uploads/use-picker.tsx'
import { useUploads, useUploadsEnded } from '../../features/uploads/use-uploads.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { useKeyCapture } from '../../ui/use-key-capture.ts'
import type { May } from './rights.ts'
import classes from './server.module.css'
import { usePlace } from './use-place.ts'

const FileEditor = lazyView(async () => (await import('../../features/file-editor/file-editor.tsx')).FileEditor)
const ImagePreview = lazyView(async () => (await import('../../features/file-editor/image-preview.tsx')).ImagePreview)

/** From this width on there is room beside the list. */
const railFrom = 1_040

interface FilesTabProps {
  readonly server: ServerView
  readonly can: May
}

/** The files of a server and how SFTP clients reach them, each with its right. */
export function FilesTab({ server, can: may }: FilesTabProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const { ref, width } = useElementSize<HTMLDivElement>()
  const hasSftp = may('sftpServer')

  if (!may('viewServerFiles')) {
    return (
      <div className={classes.onlySftp}>
        <SftpCard server={server} />
      </div>
    )
  }
  const hasRail = width >= railFrom
  return (
    <div ref={ref} className={classes.console}>
      <Files
        server={server}
        canWrite={may('putServerFiles')}
        tools={
          hasSftp &&
          !hasRail && (
            <Popover position="bottom-end" width={300} trapFocus returnFocus>
              <Popover.Target>
                <ActionIcon
                  size={isPhone ? 44 : 32}
                  variant={isPhone ? 'subtle' : 'default'}
                  aria-label={t('files.SftpDetails')}
                  data-tip={t('files.SftpDetails')}
                >
                  <IconPlugConnected size={isPhone ? 20 : 17} aria-hidden />
                </ActionIcon>
              </Popover.Target>
              <Popover.Dropdown p={0} aria-label={t('files.SftpDetails')}>
                <SftpCard server={server} />
              </Popover.Dropdown>
            </Popover>
          )
        }
      />
      {hasSftp && hasRail && (
        <aside className={classes.rail} aria-label={t('files.SftpDetails')}>
          <SftpCard server={server} />
        </aside>
      )}
    </div>
  )
}

interface FilesProps {
  readonly server: ServerView
  readonly canWrite: boolean
  readonly tools: ReactNode
}

function Files({ server, canWrite, tools }: FilesProps) {
  const { id } = server
  const place = usePlace(id)
  const { path } = place
  const keyCapture = useKeyCapture()
  const uploads = useUploads()
  const changed = useFilesChanged(id)
  const download = useDownload(id)
  useUploadsEnded(id, changed)
  const add = useCallback(
    (folder: string, items: readonly PickedItem[]) => uploads.add(id, folder, items),
    [uploads, id],
  )
  const { inputs, pickFiles, pickFolder } = usePicker((items) => add(path, items))

  return (
    <>
      <FileBrowser
        server={server}
        canWrite={canWrite}
        path={path}
        onPath={place.go}
        hrefOf={place.hrefOf}
        onEdit={(file) => {
          keyCapture.begin({ onEscape: place.close })
          place.edit(file)
        }}
        onPreview={(file, images) => {
          keyCapture.begin({ onEscape: place.close })
          place.view(file, images)
        }}
        upload={{ pickFiles, pickFolder }}
        frame={(list) => (
          <DropTarget folder={path} canWrite={canWrite} onDrop={add} className={classes.filling ?? ''}>
            {list}
          </DropTarget>
        )}
        tools={tools}
        notices={<UnfinishedUploads server={id} canWrite={canWrite} />}
      />
      {inputs}
      <Suspense fallback={null}>
        {place.edited !== undefined && (
          <FileEditor
            key={place.edited}
            server={id}
            path={place.edited}
            canWrite={canWrite}
            onClose={place.close}
            onSaved={() => changed([dirname(place.edited ?? '')])}
          />
        )}
        {place.viewed !== undefined && (
          <ImagePreview
            server={id}
            path={place.viewed}
            images={place.images}
            onShow={(image) => place.show(image)}
            onDownload={(image) => void download([image])}
            onClose={place.close}
          />
        )}
      </Suspense>
    </>
  )
}
