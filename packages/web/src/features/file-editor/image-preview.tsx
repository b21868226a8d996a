import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getFile } from '@innkeeper/contract/servers/files'
import { ActionIcon, Center, Group, Loader } from '@mantine/core'
import {
  IconArrowsMaximize,
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconPhoto,
  IconPhotoOff,
  IconZoomScan,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { downloadBytes } from '../../api/upload-download.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { getArrowStep } from '../../ui/keyboard/arrow-keys.ts'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { EditorButton, EditorHead } from './editor-head.tsx'
import classes from './file-editor.module.css'
import { Overlay } from './overlay.tsx'

/** Larger images are downloaded, because a page holds the whole image in memory. */
const maxPreviewBytes = 64 * 1024 ** 2

export interface ImagePreviewProps {
  /** The server's id. */
  readonly server: string
  /** The image, relative to the server's folder. */
  readonly path: string
  /** All images in the list, in its order, for the Previous and Next buttons. */
  readonly images?: readonly string[]
  /** Shows another one of `images`. */
  readonly onShow?: (path: string) => void
  /** Adds a Download button. */
  readonly onDownload?: (path: string) => void
  readonly onClose: () => void
}

/** Shows an image in an overlay. Import it lazily. */
export function ImagePreview({ server, path, images = [], onShow, onDownload, onClose }: ImagePreviewProps) {
  const t = useT()
  const { fileSize } = useFormatters()
  const [isFit, setIsFit] = useState(true)
  const image = useImage(server, path)
  const url = useObjectUrl(image.data)
  const [dimensions, setDimensions] = useState<Dimensions>()
  const [brokenUrl, setBrokenUrl] = useState<string>()
  const isBroken = url !== undefined && brokenUrl === url
  const index = images.indexOf(path)
  const createStep = (step: number) => {
    const next = index === -1 ? undefined : images[index + step]
    return next !== undefined && onShow ? () => onShow(next) : undefined
  }
  const [showPrevious, showNext] = [createStep(-1), createStep(1)]

  return (
    <Overlay
      label={t('file-editor.PreviewOf', { path })}
      onClose={onClose}
      onKeyDown={(event) => {
        const step = getArrowStep(event)
        if (step === 1) showNext?.()
        else if (step === -1) showPrevious?.()
      }}
    >
      <EditorHead
        path={path}
        icon={<IconPhoto size={17} aria-hidden />}
        onClose={onClose}
        actions={
          <>
            {images.length > 1 && onShow && (
              <>
                <ActionIcon
                  size={36}
                  aria-label={t('file-editor.PreviousImage')}
                  disabled={!showPrevious}
                  onClick={showPrevious}
                >
                  <IconChevronLeft size={18} aria-hidden data-flip />
                </ActionIcon>
                <ActionIcon size={36} aria-label={t('file-editor.NextImage')} disabled={!showNext} onClick={showNext}>
                  <IconChevronRight size={18} aria-hidden data-flip />
                </ActionIcon>
              </>
            )}
            <EditorButton
              aria-pressed={!isFit}
              icon={isFit ? <IconZoomScan size={17} aria-hidden /> : <IconArrowsMaximize size={17} aria-hidden />}
              label={t('file-editor.ActualSize')}
              onClick={() => setIsFit(!isFit)}
            />
            {onDownload && (
              <EditorButton
                icon={<IconDownload size={17} aria-hidden />}
                label={t('common.Download')}
                onClick={() => onDownload(path)}
              />
            )}
          </>
        }
      />
      <QueryState
        query={image}
        errorTitle={t('file-editor.LoadingFailed')}
        renderError={(error) =>
          isRefusal(error, 'ErrBodyTooLarge') && (
            <EmptyState isError icon={IconPhotoOff} title={t('file-editor.PreviewTooLarge')} />
          )
        }
        skeleton={
          <Center flex={1}>
            <Loader aria-label={t('common.Loading')} />
          </Center>
        }
      >
        {() =>
          isBroken ? (
            <EmptyState isError icon={IconPhotoOff} title={t('file-editor.PreviewFailed')} />
          ) : (
            url !== undefined && (
              <div className={classes.picture} data-fit={isFit || undefined}>
                <img
                  src={url}
                  alt={path.split('/').at(-1)}
                  onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
                    setDimensions({ url, width, height })
                  }
                  onError={() => setBrokenUrl(url)}
                />
              </div>
            )
          )
        }
      </QueryState>
      <Group component="footer" className={classes.status} gap="lg" mih={30} c="dimmed" fz="xs">
        {image.data && <span>{fileSize(image.data.size, { decimals: 2 })}</span>}
        {dimensions && dimensions.url === url && (
          <span>{t('file-editor.Pixels', { width: String(dimensions.width), height: String(dimensions.height) })}</span>
        )}
        {images.length > 1 && index !== -1 && (
          <Group component="span" ms="auto">
            {t('common.PositionOf', { position: index + 1, total: images.length })}
          </Group>
        )}
      </Group>
    </Overlay>
  )
}

interface Dimensions {
  readonly url: string
  readonly width: number
  readonly height: number
}

/** Media types by extension. Browsers detect most formats themselves, but not SVG. */
const mediaTypes: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
}

/** Fetches an image with the session token, which an `<img>` URL cannot carry. In an `<img>`, SVG runs no scripts. */
function useImage(server: string, path: string) {
  return useQuery({
    queryKey: ['image', server, path],
    queryFn: async ({ signal }) => {
      const input = { params: { id: server, path } }
      const response = await downloadBytes(getFile, input, { headers: { accept: '*/*' }, signal })
      if (Number(response.headers.get('content-length') ?? 0) > maxPreviewBytes) {
        await response.body?.cancel()
        throw new Refusal('ErrBodyTooLarge')
      }
      const type = mediaTypes[path.split('.').at(-1)?.toLowerCase() ?? ''] ?? ''
      return new Blob([await response.arrayBuffer()], { type })
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** An object URL for a blob; it is revoked when the blob changes and on unmount. */
function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!blob) return
    const created = URL.createObjectURL(blob)
    setUrl(created)
    return () => {
      setUrl(undefined)
      URL.revokeObjectURL(created)
    }
  }, [blob])
  return url
}
