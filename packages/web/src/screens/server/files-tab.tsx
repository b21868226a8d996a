import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import { getTemplate } from '@innkeeper/contract/templates/templates'
import { Box, Button, Flex, Group, Popover } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { IconPlugConnected } from '@tabler/icons-react'
import { type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { dirname, parsePath } from '../../api/file-paths.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { FileBrowser } from '../../features/files/file-browser.tsx'
import { SftpCard } from '../../features/files/sftp-card.tsx'
import { useDownload } from '../../features/files/use-download.ts'
import { useFilesChanged } from '../../features/files/use-refresh.ts'
import { DropTarget } from '../../features/uploads/drop-target.tsx'
import { InterruptedUploads } from '../../features/uploads/interrupted-uploads.tsx'
import type { PickedItem } from '../../features/uploads/items.ts'
import { usePicker } from '../../features/uploads/use-picker.tsx'
import { useUploads, useUploadsDone } from '../../features/uploads/use-uploads.tsx'
import { useKeyCapture } from '../../hotkeys/use-key-capture.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { useIsPhone } from '../../ui/layout/page.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import type { Can } from './permissions.ts'
import { type TemplateMismatch, useTemplateMismatch } from './use-template-mismatch.ts'

const FileEditor = lazyView(async () => (await import('../../features/file-editor/file-editor.tsx')).FileEditor)
const ImagePreview = lazyView(async () => (await import('../../features/file-editor/image-preview.tsx')).ImagePreview)

/** Width of the tab, in pixels, from which on the SFTP details are shown next to the list. */
const sidebarMinWidth = 1_040

/** The files of a server and the details for SFTP clients; each needs its own permission. */
export function FilesTab({ server, can }: { server: ServerDetail; can: Can }) {
  const t = useT()
  const isPhone = useIsPhone()
  const { ref, width } = useElementSize<HTMLDivElement>()
  const hasSftp = can('sftpServer')

  if (!can('viewServerFiles')) {
    return (
      <Box w={{ base: '100%', sm: 'min(100%, 26rem)' }} p={{ base: 'sm', sm: 0 }}>
        <SftpCard server={server} />
      </Box>
    )
  }
  const hasSidebar = width >= sidebarMinWidth
  return (
    <Flex ref={ref} flex={1} gap="md" mih={0} miw={0}>
      <Files
        server={server}
        canWrite={can('putServerFiles')}
        tools={
          hasSftp &&
          !hasSidebar && (
            <Popover position="bottom-end" width={300} trapFocus returnFocus>
              <Popover.Target>
                <IconButton
                  size={isPhone ? 44 : 32}
                  variant={isPhone ? 'subtle' : 'default'}
                  label={t('files.SftpDetails')}
                >
                  <IconPlugConnected size={isPhone ? 20 : 17} aria-hidden />
                </IconButton>
              </Popover.Target>
              <Popover.Dropdown p={0} aria-label={t('files.SftpDetails')}>
                <SftpCard server={server} />
              </Popover.Dropdown>
            </Popover>
          )
        }
      />
      {hasSftp && hasSidebar && (
        <Box component="aside" style={{ overflow: 'auto' }} flex="none" w="16.5rem" aria-label={t('files.SftpDetails')}>
          <SftpCard server={server} />
        </Box>
      )}
    </Flex>
  )
}

function Files({ server, canWrite, tools }: { server: ServerDetail; canWrite: boolean; tools: ReactNode }) {
  const { id } = server
  const route = useFileRoute(id)
  const { path } = route
  const keyCapture = useKeyCapture()
  const uploads = useUploads()
  const refresh = useFilesChanged(id)
  const download = useDownload(id)
  useUploadsDone(id, refresh)
  const otherKind = useTemplateMismatch(server)
  const add = (folder: string, items: readonly PickedItem[]) => {
    uploads.add(id, folder, items)
    void otherKind.checkItems(items)
  }
  const { inputs, pickFiles, pickFolder } = usePicker((items) => add(path, items))

  return (
    <>
      <FileBrowser
        server={server}
        canWrite={canWrite}
        path={path}
        onPath={route.openFolder}
        getHref={route.getHref}
        onEdit={(file) => {
          keyCapture.begin({ onEscape: route.close })
          route.edit(file)
        }}
        onPreview={(file, images) => {
          keyCapture.begin({ onEscape: route.close })
          route.view(file, images)
        }}
        upload={{ pickFiles, pickFolder }}
        frame={(list) => (
          <DropTarget folder={path} canWrite={canWrite} onDrop={add}>
            {list}
          </DropTarget>
        )}
        tools={tools}
        notices={
          <>
            {otherKind.found && (
              <TemplateMismatchOffer server={server.name} found={otherKind.found} onDismiss={otherKind.dismiss} />
            )}
            <InterruptedUploads server={id} canWrite={canWrite} />
          </>
        }
        onJobEnd={(job) => void otherKind.checkJob(job)}
      />
      {inputs}
      <Suspense fallback={null}>
        {route.edited !== undefined && (
          <FileEditor
            key={route.edited}
            server={id}
            path={route.edited}
            canWrite={canWrite}
            onClose={route.close}
            onSaved={() => refresh([dirname(route.edited ?? '')])}
          />
        )}
        {route.viewed !== undefined && (
          <ImagePreview
            server={id}
            path={route.viewed}
            images={route.images}
            onShow={(image) => route.showImage(image)}
            onDownload={(image) => void download([image])}
            onClose={route.close}
          />
        )}
      </Suspense>
    </>
  )
}

/**
 * The folder (`path`) and the open file (`edit`, `view`) in the Files tab. They are search params, so that links and the
 * Back button work.
 */
function useFileRoute(server: string) {
  const [search, setSearch] = useSearchParams()
  const [images, setImages] = useState<readonly string[]>([])
  const change = useCallback(
    (params: Readonly<Record<'path' | 'edit' | 'view', string | undefined>>, replace = false) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          next.set('tab', 'files')
          for (const [name, value] of Object.entries(params)) {
            if (value) next.set(name, value)
            else next.delete(name)
          }
          return next
        },
        { replace },
      ),
    [setSearch],
  )
  const path = parsePath(search.get('path') ?? '')
  const viewed = search.get('view') ?? undefined

  return {
    path,
    /** The file in the editor. */
    edited: search.get('edit') ?? undefined,
    /** The image in the preview. */
    viewed,
    /** The images that the preview can step through. */
    images: useMemo(() => (viewed !== undefined && !images.includes(viewed) ? [viewed] : images), [images, viewed]),
    openFolder: (folder: string) => change({ path: folder, edit: undefined, view: undefined }),
    getHref: (folder: string) =>
      `/server/${server}?${new URLSearchParams({ tab: 'files', ...(folder ? { path: folder } : {}) })}`,
    edit: (file: string) => change({ path, edit: file, view: undefined }),
    view(image: string, folderImages: readonly string[]) {
      setImages(folderImages)
      change({ path, edit: undefined, view: image })
    },
    /** Shows another image without a history entry. */
    showImage: (image: string) => change({ path, edit: undefined, view: image }, true),
    close: () => change({ path, edit: undefined, view: undefined }, true),
  }
}

interface TemplateMismatchOfferProps {
  /** The name of the server of another template. */
  readonly server: string
  readonly found: TemplateMismatch
  readonly onDismiss: () => void
}

/** Offers to add another server for the files. Add server gets template and files. */
function TemplateMismatchOffer({ server, found, onDismiss }: TemplateMismatchOfferProps) {
  const t = useT()
  const uploads = useUploads()
  const { name, template, items } = found
  const { data } = useApiQuery(getTemplate, { params: { name: template } }, { staleTime: 60_000 })
  if (!data) return null
  return (
    <Alert
      type="info"
      role="status"
      action={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            component={Link}
            to={`/addserver?template=${encodeURIComponent(template)}`}
            onClick={() => {
              uploads.keepSelection(items)
              onDismiss()
            }}
          >
            {t('servers.Add')}
          </Button>
          <Button size="xs" variant="subtle" onClick={onDismiss}>
            {t('common.Close')}
          </Button>
        </Group>
      }
    >
      {t('files.OtherKind', { name, template: data.display || template, server })}
    </Alert>
  )
}
