export interface ImagePreviewProps {
  /** The id of the server. */
  readonly server: string
  /** The image, from the server's folder. */
  readonly path: string
  /** The images of the folder in the order they are listed, this one among them: previous and next go through them. */
  readonly images?: readonly string[]
  /** Another one of `images` is wanted. */
  readonly onShow?: (path: string) => void
  /** Downloads the image shown; without it there is no such button. */
  readonly onDownload?: (path: string) => void
  readonly onClose: () => void
}

/** Shows an image in an overlay. Load it lazily. */
export function ImagePreview(_: ImagePreviewProps) {
  return null
}
